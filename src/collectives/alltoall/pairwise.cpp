// Pairwise alltoall: p-1 rounds; in round r every rank sends to the rank r ahead
// and receives from the rank r behind, one round after the other.
//
// Cost, p ranks, n elements: (p-1) alpha + (p-1) n beta.
// For long blocks and many ranks: one message in and one out of a rank at a time,
// so that none is swamped. Any p.
// Thakur, Rabenseifner and Gropp, "Optimization of collective communication
// operations in MPICH", IJHPCA 19(1), 2005.

#include <algorithm>

#include "collectives/algorithm.hpp"
#include "collectives/alltoall/outgoing.hpp"
#include "collectives/times.hpp"
#include "patterns/ring.hpp"
#include "schedule/builder.hpp"

namespace stretto {
namespace {

Schedule build(const Shape& shape, const Layout& /*layout*/, Rank me) {
  Builder step(shape, me);
  const Ring ring{shape.size, me};
  const Count n = shape.count;
  const Outgoing outgoing{step, shape};

  step.copy(step.input({me * n, n}), step.output({me * n, n}));
  After previous = after(outgoing.ready());
  for (int distance = 1; distance < shape.size; ++distance) {
    const Rank to = ring.after(distance);
    const Rank from = ring.before(distance);
    const StepId sent = step.send(to, outgoing[to], previous);
    const StepId received = step.recv(from, step.output({from * n, n}), previous);
    previous = after(sent, received);
  }
  return step.finish();
}

double time(const Shape& shape, const Network& network) {
  return network.copy(shape.count) + pairwise(network, shape.size, shape.count, 0);
}

}  // namespace

extern const Algorithm alltoall_pairwise;
const Algorithm alltoall_pairwise{.collective = Collective::alltoall,
                                  .name = "pairwise",
                                  .build = build,
                                  .time = time,
                                  .single_blocks = true};

}  // namespace stretto
