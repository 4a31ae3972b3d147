// Recursive-doubling exclusive scan: in round k every rank passes the sum of the 2^k ranks
// up to itself on to the rank 2^k ahead, and adds what it gets to a sum without its own.
//
// Cost, p = 2^k > 4 ranks, n elements: lg(p) alpha + lg(p) n beta + (2 lg(p) - 3) n gamma.
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
  const Region result = step.output(all);
  const Region sum = step.scratch(all);                            // with this rank's own
  const Region theirs = step.scratch({shape.count, shape.count});  // a peer's such sum

  StepId ready = step.copy(step.input(all), sum);
  StepId kept = ready;  // in place the copy must be over before the result is written
  for (int distance = 1; distance < shape.size; distance *= 2) {
    StepId sent = kNoStep;
    if (me + distance < shape.size) sent = step.send(me + distance, sum, after(ready));
    if (me < distance) continue;
    const bool first = distance == 1;
    const Region landing = first ? result : theirs;
    const StepId received = step.recv(me - distance, landing, after(ready, kept));
    // What others wait for comes first.
    const bool passes_on = me + 2 * distance < shape.size;
    if (passes_on) ready = step.reduce(landing, sum, after(sent, received));
    kept = first ? received : step.reduce(theirs, result, after(received, kept));
  }
  return step.finish();
}

double time(const Shape& shape, const Network& network) {
  // The sum that is passed on comes first; the other is added while that travels.
  return doubling_upwards(network, shape);
}

}  // namespace

extern const Algorithm exscan_recursive_doubling;
const Algorithm exscan_recursive_doubling{
    .collective = Collective::exscan, .name = "recursive_doubling", .build = build, .time = time};

}  // namespace stretto
