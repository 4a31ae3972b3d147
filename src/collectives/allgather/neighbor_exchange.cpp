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

namespace stretto {
namespace {

Schedule build(const Shape& shape, Rank me) {
  const Fold fold = Fold::to_even(shape.size, me);
  return folded_allgather(shape, me, fold, neighbor_rounds(fold.survivors(), fold.number()));
}

}  // namespace

extern const Algorithm allgather_neighbor_exchange;
const Algorithm allgather_neighbor_exchange{
    .collective = Collective::allgather, .name = "neighbor_exchange", .build = build};

}  // namespace stretto
