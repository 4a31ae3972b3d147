// Linear alltoall: every rank sends every other its block, all at once.
//
// Cost, p ranks, n elements: (p-1) alpha + (p-1) n beta.
// For medium blocks on few ranks: nobody waits for anybody, so that a late rank
// delays its own blocks only, but p-1 messages a rank (256 at most) are in flight
// together; see pairwise. Any p. Each rank begins with the next one, so that not all begin with
// the same.
// Thakur, Rabenseifner and Gropp, "Optimization of collective communication
// operations in MPICH", IJHPCA 19(1), 2005.

#include "collectives/algorithm.hpp"
#include "collectives/alltoall/outgoing.hpp"
#include "collectives/times.hpp"
#include "collectives/window.hpp"
#include "patterns/ring.hpp"
#include "schedule/builder.hpp"

namespace stretto {
namespace {

Schedule build(const Shape& shape, const Layout& /*layout*/, Rank me) {
  Builder step(shape, me);
  const Ring ring{shape.size, me};
  const Count n = shape.count;
  const Outgoing outgoing{step, shape};
  Window sends;
  Window receives;

  for (int distance = 1; distance < shape.size; ++distance) {
    const Rank to = ring.after(distance);
    const Rank from = ring.before(distance);
    const After free = after(sends.before_next(), receives.before_next(), outgoing.ready());
    receives.add(step.recv(from, step.output({from * n, n}), free));
    sends.add(step.send(to, outgoing[to], free));
  }
  step.copy(step.input({me * n, n}), step.output({me * n, n}));
  return step.finish();
}

double time(const Shape& shape, const Network& network) {
  return network.copy(shape.count) + network.all_at_once(shape.size, shape.count, 0);
}

}  // namespace

extern const Algorithm alltoall_linear;
const Algorithm alltoall_linear{.collective = Collective::alltoall,
                                .name = "linear",
                                .build = build,
                                .time = time,
                                .single_blocks = true};

}  // namespace stretto
