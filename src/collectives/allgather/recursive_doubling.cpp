// Recursive-doubling allgather: in each round every rank swaps all it has with the
// rank across the next dimension of a hypercube, which doubles it.
//
// Cost, p = 2^k ranks, n elements: lg(p) alpha + (p-1) n beta.
// For short to medium blocks: fewest rounds, and nothing is moved in memory. With
// any other p, the ranks in excess of a power of two go through a neighbour, for
// another 2 alpha + (p+1) n beta; see bruck and ring.
// Thakur, Rabenseifner and Gropp, "Optimization of collective communication
// operations in MPICH", IJHPCA 19(1), 2005.

#include "collectives/algorithm.hpp"
#include "collectives/allgather/folded.hpp"
#include "collectives/times.hpp"

namespace stretto {
namespace {

Schedule build(const Shape& shape, const Layout& /*layout*/, Rank me) {
  const Fold fold = Fold::to_power_of_two(shape.size, me);
  return folded_allgather(shape, me, fold, doubling_rounds(fold.survivors(), fold.number()));
}

double time(const Shape& shape, const Network& network) {
  const int survivors = survivors_of(shape.size);
  Exchanges rounds(network, shape.size);
  rounds.work(network.copy(shape.count));
  // Where a rank is alone its messages take longer than that, and meanwhile.
  if (survivors < shape.size && !network.is_alone()) folded(rounds, network, shape.count, 0);
  const Count block = shape.count * shape.size / survivors;
  for (int distance = 1; distance < survivors; distance *= 2) {
    rounds.across(distance, block * distance);
  }
  if (survivors < shape.size) {
    const Count all = shape.count * shape.size;
    const double way = Network::cost(network.nearest(), 0).wire;
    // Where few are given it all back that begins before the last rank has its own.
    const bool few = shape.size - survivors <= survivors / 2;
    rounds.work(network.hop(1, all) - (few ? way : 0));
  }
  return rounds.end();
}

}  // namespace

extern const Algorithm allgather_recursive_doubling;
const Algorithm allgather_recursive_doubling{.collective = Collective::allgather,
                                             .name = "recursive_doubling",
                                             .build = build,
                                             .time = time};

}  // namespace stretto
