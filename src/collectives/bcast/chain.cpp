// Pipelined chain broadcast: the ranks form a line from the root, and each passes
// a segment on while it receives the next.
//
// Cost, p ranks, n elements: (p-2+s) alpha + (p-2+s) n/s beta.
// With many segments n beta whatever p: for long vectors on few ranks, or where
// neighbours in rank are neighbours in the machine. Any p, any root.
// Pjesivac-Grbovic, Angskun, Bosilca, Fagg, Gabriel and Dongarra, "Performance
// analysis of MPI collective operations", Cluster Computing 10(2), 2007.

#include "patterns/chain.hpp"

#include "collectives/algorithm.hpp"
#include "collectives/times.hpp"
#include "collectives/window.hpp"
#include "patterns/blocks.hpp"
#include "schedule/builder.hpp"

namespace stretto {
namespace {

Schedule build(const Shape& shape, const Layout& /*layout*/, Rank me) {
  Builder step(shape, me);
  const Chain chain{shape.size, shape.root, me};
  const Segments segments{shape.count, shape.segment};

  Window sends;
  Window receives;
  for (Count i = 0; i < segments.size(); ++i) {
    const Region segment = step.output(segments[i]);
    StepId received = kNoStep;
    if (!chain.is_head()) {
      const After free = after(receives.before_next());
      received = receives.add(step.recv(chain.towards_head(), segment, free));
    }
    if (chain.is_tail()) continue;
    const After ready = after(received, sends.before_next());
    sends.add(step.send(chain.towards_tail(), segment, ready));
  }
  return step.finish();
}

double time(const Shape& shape, const Network& network) { return pipeline(network, shape, 0); }

}  // namespace

extern const Algorithm bcast_chain;
const Algorithm bcast_chain{.collective = Collective::bcast,
                            .name = "chain",
                            .build = build,
                            .time = time,
                            .uses_segment = true};

}  // namespace stretto
