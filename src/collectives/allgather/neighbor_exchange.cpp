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

Schedule build(const Shape& shape, Rank me) {
  const Fold fold = Fold::to_even(shape.size, me);
  return folded_allgather(shape, me, fold, neighbor_rounds(fold.survivors(), fold.number()));
}

double time(const Shape& shape, const Network& network) {
  // Every other swap is with the neighbour on another host, for a rank at a host's end.
  const int rounds = shape.size / 2;
  const int far = network.is_alone() ? rounds : rounds / 2;
  const double swaps = (rounds - far) * swap(network, 1, 2 * shape.count) +
                       far * swap(network, shape.size - 1, 2 * shape.count);
  if (shape.size % 2 == 0) return swaps;
  return swaps + network.hop(1, shape.count) + network.hop(1, shape.count * shape.size);
}

}  // namespace

extern const Algorithm allgather_neighbor_exchange;
const Algorithm allgather_neighbor_exchange{
    .collective = Collective::allgather, .name = "neighbor_exchange", .build = build, .time = time};

}  // namespace stretto
