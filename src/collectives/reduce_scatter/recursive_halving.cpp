// Recursive-halving reduce-scatter: the ranks swap halves of what they still have, adding
// up as they go, until each has its own block.
//
// Cost, p = 2^k ranks, n elements: lg(p) alpha + (p-1) n beta + (p-1) n gamma.
// For short blocks: few messages. An operation that does not commute takes another message
// and n elements, as the blocks then end up with each other's owners. With any other p, the ranks
// in excess of a power of two first hand their vector to a neighbour and get their block back in
// the end, for two more messages and pn + n elements. Keeps rank order: partial results always come
// from consecutive ranks. Thakur, Rabenseifner and Gropp, "Optimization of collective communication
// operations in MPICH", IJHPCA 19(1), 2005.

#include "collectives/algorithm.hpp"
#include "collectives/reduce_scatter/halving.hpp"
#include "collectives/times.hpp"

namespace stretto {
namespace {

Schedule build(const Shape& shape, const Layout& /*layout*/, Rank me) {
  Builder step(shape, me);
  const Count n = shape.count;
  const Count all = shape.size * n;
  const Region result = step.output({0, n});
  Partial partial{step, all, false, Partial::order_of(shape)};
  const Portion own =
      reduce_scatter_by_halving(step, shape, shape.size, me, [n](Rank rank) { return rank * n; },
                                partial, {.foldeds = result, .others_offset = 2 * all});
  // In place the result lies where the input was.
  step.copy(own.where, result, after(own.ready));
  return step.finish();
}

double time(const Shape& shape, const Network& network) {
  const int survivors = survivors_of(shape.size);
  Exchanges rounds(network, shape.size);
  const Count all = shape.count * shape.size;
  if (survivors < shape.size) folded(rounds, network, all, network.reduce(all));
  for (int distance = survivors / 2; distance > 0; distance /= 2) {
    const Count bytes = all / survivors * distance;
    rounds.across(shape.commutative ? distance : survivors / 2 / distance, bytes);
    rounds.work(network.reduce(bytes));
  }
  if (!shape.commutative) rounds.across(survivors - 1, shape.count);
  // Who is far from others is later than those that give a block back, where they are few.
  const bool few = shape.size - survivors <= survivors / 2;
  if (network.nearest().ranks == shape.size) {
    if (survivors < shape.size) given_back(rounds, network, shape.size, shape.count);
  } else if (survivors < shape.size && !few) {
    folded(rounds, network, shape.count, 0);
  }
  rounds.work(network.copy(shape.count));
  return rounds.end();
}

}  // namespace

extern const Algorithm reduce_scatter_recursive_halving;
const Algorithm reduce_scatter_recursive_halving{.collective = Collective::reduce_scatter,
                                                 .name = "recursive_halving",
                                                 .build = build,
                                                 .time = time};

}  // namespace stretto
