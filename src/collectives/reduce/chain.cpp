// Pipelined chain reduce: the ranks form a line that ends at the root, and each
// adds its own to a segment and passes it on while it receives the next.
//
// Cost, p ranks, n elements: (p-2+s) alpha + (p-2+s) n/s beta + (p-2+s) n/s gamma.
// With many segments n beta whatever p: for long vectors on few ranks, or where
// neighbours in rank are neighbours in the machine. Any p, any root.
// Keeps rank order: not commutative, the line ends at rank 0, and the segments go
// on to another root from there.
// Pjesivac-Grbovic, Angskun, Bosilca, Fagg, Gabriel and Dongarra, "Performance
// analysis of MPI collective operations", Cluster Computing 10(2), 2007.

#include "patterns/chain.hpp"

#include <algorithm>

#include "collectives/algorithm.hpp"
#include "collectives/reduce/upward.hpp"
#include "collectives/times.hpp"
#include "collectives/window.hpp"
#include "patterns/blocks.hpp"
#include "schedule/builder.hpp"

namespace stretto {
namespace {

Schedule build(const Shape& shape, const Layout& /*layout*/, Rank me) {
  Builder step(shape, me);
  Upward upward{step, shape, me};
  const Chain chain{shape.size, Upward::top(shape), me};
  const Segments segments{shape.count, shape.segment};

  Window receives;
  for (Count i = 0; i < segments.size(); ++i) {
    const Span segment = segments[i];
    Region partial = step.input(segment);
    StepId ready = kNoStep;
    if (!chain.is_tail()) {
      const Region theirs = upward.landing(segment, segment, true);
      const After free = after(receives.before_next());
      const StepId received = receives.add(step.recv(chain.towards_tail(), theirs, free));
      ready = step.reduce(partial, theirs, after(received));
      partial = theirs;
    }
    upward.pass_on(chain.towards_head(), partial, segment, ready);
  }
  return step.finish();
}

double time(const Shape& shape, const Network& network) {
  return pipeline(network, shape, network.reduce(stage_of(shape)));
}

}  // namespace

extern const Algorithm reduce_chain;
const Algorithm reduce_chain{.collective = Collective::reduce,
                             .name = "chain",
                             .build = build,
                             .time = time,
                             .uses_segment = true};

}  // namespace stretto
