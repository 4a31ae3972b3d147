// Recursive-doubling scan: in round k every rank passes the sum of the 2^k ranks up to
// itself on to the rank 2^k ahead.
//
// Cost, p ranks, n elements: lg(p) alpha + lg(p) n beta + lg(p) n gamma.
// For short vectors: fewest rounds. Any p. Keeps rank order.
// Hillis and Steele, "Data parallel algorithms", CACM 29(12), 1986.

#include "collectives/algorithm.hpp"
#include "collectives/times.hpp"
#include "schedule/builder.hpp"

namespace stretto {
namespace {

Schedule build(const Shape& shape, const Layout& /*layout*/, Rank me) {
  Builder step(shape, me);
  const Span all{0, shape.count};
  const Region sum = step.output(all);
  const Region before = step.scratch(all);

  StepId ready = step.copy(step.input(all), sum);
  for (int distance = 1; distance < shape.size; distance *= 2) {
    StepId sent = kNoStep;
    if (me + distance < shape.size) sent = step.send(me + distance, sum, after(ready));
    if (me < distance) continue;
    const StepId received = step.recv(me - distance, before, after(ready));
    ready = step.reduce(before, sum, after(sent, received));
  }
  return step.finish();
}

double time(const Shape& shape, const Network& network) { return doubling_upwards(network, shape); }

}  // namespace

extern const Algorithm scan_recursive_doubling;
const Algorithm scan_recursive_doubling{
    .collective = Collective::scan, .name = "recursive_doubling", .build = build, .time = time};

}  // namespace stretto
