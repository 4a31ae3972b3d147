// Flat allreduce: every rank sends every other its vector, all at once, and adds up all of them.
//
// Cost, p ranks, n elements: (p-1) alpha + (p-1) n beta + (p-1) n gamma.
// For the shortest vectors of few ranks that share memory, where each writes its vector once and
// all read it there (transport/shm/shared_blocks.hpp): one round, whatever p, and no message. Any
// p. Keeps rank order, and all ranks add in it, so all have the same bits. Scratch: p vectors.
// Graham and Shipman, "MPI support for multi-core architectures: optimized shared memory
// collectives", EuroPVM/MPI 2008.

#include "collectives/algorithm.hpp"
#include "collectives/all_at_once.hpp"
#include "collectives/rank_order_sum.hpp"
#include "collectives/times.hpp"

namespace stretto {
namespace {

Schedule build(const Shape& shape, const Layout& /*layout*/, Rank me) {
  Builder step(shape, me);
  RankOrderSum sum(step, shape, me);
  const Region own = step.input({0, shape.count});
  const auto [arrived, sent] = exchange_with_all_others(
      step, {shape.size, me}, {}, [&](Rank from) { return sum.landing(from); },
      [&](Rank) { return own; });
  sum.add(arrived, shape.in_place ? step.join(after(sent)) : kNoStep);
  return step.finish();
}

double time(const Shape& shape, const Network& network) {
  return network.all_at_once(shape.size, shape.count, network.reduce(shape.count));
}

}  // namespace

extern const Algorithm allreduce_flat;
const Algorithm allreduce_flat{.collective = Collective::allreduce,
                               .name = "flat",
                               .build = build,
                               .time = time,
                               .in_one_round = true,
                               .on_one_host = true};

}  // namespace stretto
