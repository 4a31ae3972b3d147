// Pairwise reduce-scatter: p-1 rounds; in round r every rank sends the rank r ahead its part of
// the sum there, and adds what comes from the rank r behind to its own.
//
// Cost, p ranks, n elements: (p-1) alpha + (p-1) n beta + (p-1) n gamma.
// For long blocks: no element travels twice, and one block of scratch does, where linear takes
// one a rank; its rounds wait for each other. Any p.
// Adds in the order in which blocks come, not rank order: commutative operations only.
// Thakur, Rabenseifner and Gropp, "Optimization of collective communication
// operations in MPICH", IJHPCA 19(1), 2005.

#include <algorithm>
#include <vector>

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
  const Count n = shape.count;
  if (shape.size == 1) {
    step.copy(step.input({0, n}), step.output({0, n}));
    return step.finish();
  }
  const Region sum = step.scratch({0, n});
  const Region theirs = step.scratch({n, n});

  // In place the result lies where the input is, which must have been sent by then.
  std::vector<StepId> read{step.copy(step.input({me * n, n}), sum)};
  StepId added = read.front();
  StepId ready = kNoStep;  // the block before it has been received
  Window sends;
  for (int distance = 1; distance < shape.size; ++distance) {
    const Rank to = ring.after(distance);
    const After free = after(ready, sends.before_next());
    read.push_back(sends.add(step.send(to, step.input({to * n, n}), free)));
    const StepId received = step.recv(ring.before(distance), theirs, after(ready, added));
    added = step.reduce(theirs, sum, after(received, added));
    ready = received;
  }
  read.push_back(added);
  step.copy(sum, step.output({0, n}), after(read));
  return step.finish();
}

double time(const Shape& shape, const Network& network) {
  const double reduce = network.reduce(shape.count);
  return 2 * network.copy(shape.count) + pairwise(network, shape.size, shape.count, reduce);
}

}  // namespace

extern const Algorithm reduce_scatter_pairwise;
const Algorithm reduce_scatter_pairwise{.collective = Collective::reduce_scatter,
                                        .name = "pairwise",
                                        .build = build,
                                        .time = time,
                                        .keeps_rank_order = false,
                                        .single_blocks = true};

}  // namespace stretto
