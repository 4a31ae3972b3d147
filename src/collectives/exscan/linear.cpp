// Linear exclusive scan: each rank keeps what the one before passes on, adds its own to a
// copy and passes that on, a segment at a time.
//
// Cost, p > 2 ranks, n elements: (p-2+s) alpha + (p-2+s) n/s beta + (p-3+s) n/s gamma.
// With many segments n beta whatever p: for long vectors. Any p. Keeps rank order.
// Sanders and Traeff, "Parallel prefix (scan) algorithms for MPI", EuroPVM/MPI 2006.

#include <algorithm>

#include "collectives/algorithm.hpp"
#include "collectives/times.hpp"
#include "patterns/blocks.hpp"
#include "schedule/builder.hpp"

namespace stretto {
namespace {

Schedule build(const Shape& shape, Rank me) {
  Builder step(shape, me);
  const bool is_last = me + 1 == shape.size;
  const Segments segments{shape.count, shape.segment};
  for (Count i = 0; i < segments.size(); ++i) {
    if (me == 0) {
      if (!is_last) step.send(1, step.input(segments[i]));
      continue;
    }
    // The sum goes where the right operand is; in place that is also where the result goes.
    const Region before = step.output(segments[i]);
    const Region sum = step.scratch(segments[i]);
    const StepId own = is_last ? kNoStep : step.copy(step.input(segments[i]), sum);
    const StepId received = step.recv(me - 1, before, after(own));
    if (is_last) continue;
    const StepId added = step.reduce(before, sum, after(received, own));
    step.send(me + 1, sum, after(added));
  }
  return step.finish();
}

double time(const Shape& shape, const Network& network) {
  // All of a rank's own is copied before the first segment is looked at, some of it while that is
  // on its way.
  const Count segment = stage_of(shape);
  const double copied = network.copy(shape.count) - network.hop(1, segment);
  return pipeline(network, shape, network.reduce(segment)) + std::max(0.0, copied);
}

}  // namespace

extern const Algorithm exscan_linear;
const Algorithm exscan_linear{.collective = Collective::exscan,
                              .name = "linear",
                              .build = build,
                              .time = time,
                              .uses_segment = true};

}  // namespace stretto
