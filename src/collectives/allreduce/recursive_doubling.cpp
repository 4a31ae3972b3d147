// Recursive-doubling allreduce: in each round every rank swaps its partial result
// with the rank across the next dimension of a hypercube, so that the number of
// ranks in a partial result doubles.
//
// Cost, p = 2^k ranks, n elements: lg(p) alpha + lg(p) n beta + lg(p) n gamma.
// Good for short messages: fewest rounds. With any other p, the ranks in excess of
// a power of two first hand their vector to a neighbour and get the result back in
// the end, for two more messages on the path.
// Keeps rank order even where the operation commutes: then all ranks compute the
// same expression, and floating-point results are equal to the last bit.
// Thakur, Rabenseifner and Gropp, "Optimization of collective communication
// operations in MPICH", IJHPCA 19(1), 2005.

#include "collectives/algorithm.hpp"
#include "collectives/allreduce/doubling.hpp"
#include "collectives/times.hpp"

namespace stretto {
namespace {

Schedule build(const Shape& shape, const Layout& /*layout*/, Rank me) {
  Builder step(shape, me);
  Partial partial{step, shape, true, Partial::Order::rank};
  allreduce_by_doubling(step, shape.size, me, partial, {0, shape.count});
  return step.finish();
}

double time(const Shape& shape, const Network& network) {
  const int survivors = survivors_of(shape.size);
  const double reduce = network.reduce(shape.count);
  Exchanges rounds(network, shape.size);
  if (survivors < shape.size) folded(rounds, network, shape.count, reduce);
  for (int distance = 1; distance < survivors; distance *= 2) {
    rounds.across(distance, shape.count);
    rounds.work(reduce);
  }
  rounds.work(network.copy(shape.count));
  if (survivors < shape.size) given_back(rounds, network, shape.size, shape.count);
  return rounds.end();
}

}  // namespace

extern const Algorithm allreduce_recursive_doubling;
const Algorithm allreduce_recursive_doubling{.collective = Collective::allreduce,
                                             .name = "recursive_doubling",
                                             .build = build,
                                             .time = time};

}  // namespace stretto
