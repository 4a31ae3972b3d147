// Linear alltoall: every rank sends every other its block, all at once.
//
// Cost, p ranks, n elements: (p-1) alpha + (p-1) n beta.
// For medium blocks on few ranks: nobody waits for anybody, so that a late rank
// delays its own blocks only, but p-1 messages a rank (256 at most) are in flight
// together; see pairwise. Any p.
// Thakur, Rabenseifner and Gropp, "Optimization of collective communication
// operations in MPICH", IJHPCA 19(1), 2005.

#include "collectives/algorithm.hpp"
#include "collectives/all_at_once.hpp"
#include "collectives/alltoall/outgoing.hpp"
#include "collectives/times.hpp"

namespace stretto {
namespace {

Schedule build(const Shape& shape, const Layout& /*layout*/, Rank me) {
  Builder step(shape, me);
  const Count n = shape.count;
  const Outgoing outgoing{step, shape};
  const Ready ready{.to_receive = outgoing.ready(), .to_send = outgoing.ready()};
  const auto from_rank = [&](Rank rank) { return step.output({rank * n, n}); };
  exchange_with_all_others(step, {shape.size, me}, ready, from_rank,
                           [&](Rank rank) { return outgoing[rank]; });
  step.copy(step.input({me * n, n}), from_rank(me));
  return step.finish();
}

double time(const Shape& shape, const Network& network) {
  return network.copy(shape.count) + network.all_at_once(shape.size, shape.count, 0);
}

}  // namespace

extern const Algorithm alltoall_linear;
const Algorithm alltoall_linear{.collective = Collective::alltoall,
                                .name = "linear",
                                .build = build,
                                .time = time,
                                .single_blocks = true,
                                .in_one_round = true};

}  // namespace stretto
