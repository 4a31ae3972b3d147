// Linear neighbourhood alltoall: every rank sends each of its destinations the block that
// is for it, all at once.
//
// Cost, p > 2 ranks, n elements: 2 alpha + 2 n beta.
// That is for a ring; with d neighbours d alpha + d n beta. Nobody waits for anybody, so a
// late rank delays its own neighbours only. Any p, any topology.
// MPI 4.1, 8.6.

#include "collectives/algorithm.hpp"
#include "collectives/neighbors.hpp"

namespace stretto {
namespace {

Schedule build(const Shape& shape, const Layout& /*layout*/, Rank me) {
  Builder step(shape, me);
  exchange_with_neighbors(step, shape.graph->at(me), shape.count, me,
                          [&](int k) { return step.input({k * shape.count, shape.count}); });
  return step.finish();
}

}  // namespace

extern const Algorithm neighbor_alltoall_linear;
const Algorithm neighbor_alltoall_linear{.collective = Collective::neighbor_alltoall,
                                         .name = "linear",
                                         .build = build,
                                         .single_blocks = true};

}  // namespace stretto
