// Rabenseifner's reduce: recursive halving leaves each rank with one block of the
// result, then the blocks are gathered back the way the halves went.
//
// Cost, p = 2^k ranks, n elements: 2 lg(p) alpha + 2n(p-1)/p beta + n(p-1)/p gamma.
// For long vectors: the additions are shared out among all ranks. Any root; with
// any other p, the ranks in excess of a power of two first hand their vector to a
// neighbour, for another alpha + n beta + n gamma.
// Keeps rank order: partial results always come from consecutive ranks.
// Rabenseifner, "Optimization of collective reduction operations", ICCS 2004.

#include "collectives/algorithm.hpp"
#include "collectives/reduce/up_halves.hpp"
#include "collectives/times.hpp"

namespace stretto {
namespace {

Schedule build(const Shape& shape, const Layout& /*layout*/, Rank me) {
  Builder step(shape, me);
  Partial partial{step, shape, me == shape.root, Partial::order_of(shape)};
  sum_up_by_halves(step, shape.size, me, shape.root, partial, shape.count);
  return step.finish();
}

double time(const Shape& shape, const Network& network) {
  const int survivors = survivors_of(shape.size);
  Exchanges rounds(network, shape.size);
  Count bytes = reduced_by_halving(rounds, network, shape);
  rounds.work(network.copy(bytes));
  for (int distance = survivors / 2; distance > 0; distance /= 2, bytes *= 2) {
    rounds.to_first(distance, bytes);
  }
  return rounds.end();
}

}  // namespace

extern const Algorithm reduce_rabenseifner;
const Algorithm reduce_rabenseifner{.collective = Collective::reduce,
                                    .name = "rabenseifner",
                                    .build = build,
                                    .time = time,
                                    .divides = true};

}  // namespace stretto
