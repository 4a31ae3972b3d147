// Linear scan: each rank adds its own to what the one before passes on, and passes the sum
// on, a segment at a time.
//
// Cost, p ranks, n elements: (p-2+s) alpha + (p-2+s) n/s beta + (p-2+s) n/s gamma.
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
  const Segments segments{shape.count, shape.segment};
  StepId before_it = kNoStep;  // the sum of the segment before
  Window sends;
  Window receives;
  for (Count i = 0; i < segments.size(); ++i) {
    const Region sum = step.output(segments[i]);
    if (me == 0) {
      if (shape.size > 1) {
        const After free = after(sends.before_next());
        sends.add(step.send(1, step.input(segments[i]), free));
      }
      step.copy(step.input(segments[i]), sum);
      continue;
    }
    // One at a time, so that a sum goes out before the next ones are worked on.
    const StepId own = step.copy(step.input(segments[i]), sum, after(before_it));
    const Region before = step.scratch(segments[i]);
    const After free = after(receives.before_next());
    const StepId received = receives.add(step.recv(me - 1, before, free));
    before_it = step.reduce(before, sum, after(received, own));
    if (me + 1 == shape.size) continue;
    sends.add(step.send(me + 1, sum, after(before_it, sends.before_next())));
  }
  return step.finish();
}

double time(const Shape& shape, const Network& network) {
  const Count segment = stage_of(shape);
  return pipeline(network, shape, network.reduce(segment), network.copy(segment));
}

}  // namespace

extern const Algorithm scan_linear;
const Algorithm scan_linear{.collective = Collective::scan,
                            .name = "linear",
                            .build = build,
                            .time = time,
                            .uses_segment = true};

}  // namespace stretto
