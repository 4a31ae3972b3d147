// Flat reduce: every rank sends its vector straight to the root, which adds up all of them.
//
// Cost, p ranks, n elements: (p-1) alpha + (p-1) n beta + (p-1) n gamma.
// For the shortest vectors of few ranks that share memory, where each writes its vector once and
// the root reads it there (transport/shm/shared_blocks.hpp); no rank but the root waits for
// anybody. Any p, any root. Keeps rank order, with the bits of a flat allreduce. Scratch: p
// vectors. Graham and Shipman, "MPI support for multi-core architectures: optimized shared memory
// collectives", EuroPVM/MPI 2008.

#include "collectives/algorithm.hpp"
#include "collectives/all_at_once.hpp"
#include "collectives/rank_order_sum.hpp"
#include "collectives/times.hpp"

namespace stretto {
namespace {

Schedule build(const Shape& shape, const Layout& /*layout*/, Rank me) {
  Builder step(shape, me);
  if (me != shape.root) {
    step.send(shape.root, step.input({0, shape.count}));
    return step.finish();
  }
  RankOrderSum sum(step, shape, me);
  std::vector<StepId> arrived(static_cast<std::size_t>(shape.size), kNoStep);
  with_all_others({shape.size, me}, [&](Rank from, const After& free) {
    return arrived[static_cast<std::size_t>(from)] = step.recv(from, sum.landing(from), free);
  });
  sum.add(arrived, kNoStep);
  return step.finish();
}

double time(const Shape& shape, const Network& network) {
  return fan_in(network, shape.size, shape.count) + (shape.size - 1) * network.reduce(shape.count);
}

}  // namespace

extern const Algorithm reduce_flat;
const Algorithm reduce_flat{.collective = Collective::reduce,
                            .name = "flat",
                            .build = build,
                            .time = time,
                            .in_one_round = true,
                            .on_one_host = true};

}  // namespace stretto
