// Linear exclusive scan: each rank keeps what the one before passes on, adds its own to a
// copy and passes that on, a segment at a time.
//
// Cost, p > 2 ranks, n elements: (p-2+s) alpha + (p-2+s) n/s beta + (p-3+s) n/s gamma.
// With many segments n beta whatever p: for long vectors. Any p. Keeps rank order.
// Sanders and Traeff, "Parallel prefix (scan) algorithms for MPI", EuroPVM/MPI 2006.

#include <algorithm>

#include "collectives/algorithm.hpp"
#include "collectives/times.hpp"
#include "collectives/window.hpp"
#include "patterns/blocks.hpp"
#include "schedule/builder.hpp"

namespace stretto {
namespace {

Schedule build(const Shape& shape, const Layout& /*layout*/, Rank me) {
  Builder step(shape, me);
  const bool is_last = me + 1 == shape.size;
  const Segments segments{shape.count, shape.segment};
  StepId added = kNoStep;
  Window sends;
  Window receives;
  for (Count i = 0; i < segments.size(); ++i) {
    if (me == 0) {
      const After free = after(sends.before_next());
      if (!is_last) sends.add(step.send(1, step.input(segments[i]), free));
      continue;
    }
    // The sum goes where the right operand is; in place that is also where the result goes.
    const Region before = step.output(segments[i]);
    if (is_last) {
      const After free = after(receives.before_next());
      receives.add(step.recv(me - 1, before, free));
      continue;
    }
    const Region sum = step.scratch(segments[i]);
    const Region mine = step.input(segments[i]);
    // One at a time, so that a sum goes out before the next ones are worked on; but in place
    // nothing can be received before that.
    const StepId own = step.copy(mine, sum, after(shape.in_place ? kNoStep : added));
    const After free = after(shape.in_place ? own : kNoStep, receives.before_next());
    const StepId received = receives.add(step.recv(me - 1, before, free));
    added = step.reduce(before, sum, after(received, own));
    sends.add(step.send(me + 1, sum, after(added, sends.before_next())));
  }
  return step.finish();
}

double time(const Shape& shape, const Network& network) {
  if (shape.size == 2) return pipeline(network, shape, 0);
  const Count segment = stage_of(shape);
  // The last rank works on nothing.
  const double work = network.reduce(segment);
  return pipeline(network, shape, work, network.copy(segment)) - work;
}

}  // namespace

extern const Algorithm exscan_linear;
const Algorithm exscan_linear{.collective = Collective::exscan,
                              .name = "linear",
                              .build = build,
                              .time = time,
                              .uses_segment = true};

}  // namespace stretto
