// Neighbour-exchange allgather: ranks swap with their left and right neighbour in
// turn, each time the two blocks that came last, so that blocks travel both ways.
//
// Cost, p = 2^k ranks, n elements: p/2 alpha + (p-1) n beta.
// For medium and long blocks: between neighbours only, like ring, in half as many
// messages. The same for every even p; with an odd one, rank 0 goes through rank 1,
// for another alpha or two and about twice the beta: see ring.
// Chen, Zhang, Zhang and Yuan, "Performance evaluation of allgather algorithms on
// terascale Linux cluster with Fast Ethernet", HPC Asia 2005.

#include "collectives/algorithm.hpp"
#include "collectives/allgather/folded.hpp"
#include "collectives/times.hpp"

namespace stretto {
namespace {

Schedule build(const Shape& shape, const Layout& /*layout*/, Rank me) {
  const Fold fold = Fold::to_even(shape.size, me);
  return folded_allgather(shape, me, fold, neighbor_rounds(fold.survivors(), fold.number()));
}

// So many of a row of so many hops, at most, round the circle of ranks are to another host.
int host_ends(const Network& network, int ranks, int hops) {
  const int together = network.nearest().ranks;
  if (together >= ranks) return 0;
  const int full = 1 + (hops - 1) / together;
  const int rest = ranks % together;
  // The last host may be passed sooner.
  return rest == 0 || rest >= hops ? full : std::max(full, 2 + (hops - 1 - rest) / together);
}

double time(const Shape& shape, const Network& network) {
  const int rounds = shape.size / 2;
  const Count pair = 2 * shape.count;
  const int far = host_ends(network, shape.size, rounds);
  // A pair of blocks is passed on in every round, unless ranks have no time for so many.
  const double way =
      (rounds - far) * network.hop(1, pair) + far * network.hop(shape.size - 1, pair);
  const double swaps = std::max(way, network.ring(shape.size, rounds, pair, 0));
  if (shape.size % 2 == 0) return swaps;
  return swaps + network.hop(1, shape.count) + network.hop(1, shape.count * shape.size);
}

}  // namespace

extern const Algorithm allgather_neighbor_exchange;
const Algorithm allgather_neighbor_exchange{
    .collective = Collective::allgather, .name = "neighbor_exchange", .build = build, .time = time};

}  // namespace stretto
