// Flat barrier: every rank signals every other, all at once.
//
// Cost, p ranks, n elements: (p-1) alpha.
// For few ranks that share memory, where each says once that it has come and all read it there
// (transport/shm/shared_blocks.hpp): one round, whatever p, and no message. Any p.
// Hensgen, Finkel and Manber, "Two algorithms for barrier synchronization",
// International Journal of Parallel Programming 17(1), 1988, for the barrier all ranks of which
// look at all others' flags.

#include "collectives/algorithm.hpp"
#include "collectives/times.hpp"
#include "collectives/window.hpp"
#include "patterns/ring.hpp"
#include "schedule/builder.hpp"

namespace stretto {
namespace {

Schedule build(const Shape& shape, const Layout& /*layout*/, Rank me) {
  Builder step(shape, me);
  const Ring ring{shape.size, me};
  Windows window;
  for (int distance = 1; distance < shape.size; ++distance) {
    const After free = after(window.receives.before_next(), window.sends.before_next());
    window.receives.add(step.await(ring.before(distance), free));
    window.sends.add(step.signal(ring.after(distance), free));
  }
  return step.finish();
}

double time(const Shape& shape, const Network& network) {
  return network.all_at_once(shape.size, 0, 0);
}

}  // namespace

extern const Algorithm barrier_flat;
const Algorithm barrier_flat{.collective = Collective::barrier,
                             .name = "flat",
                             .build = build,
                             .time = time,
                             .in_one_round = true,
                             .on_one_host = true};

}  // namespace stretto
