// Ring allgather: every rank passes on to the next what came from the previous
// one, its own block first, until all blocks have gone all the way round.
//
// Cost, p ranks, n elements: (p-1) alpha + (p-1) n beta.
// For long blocks: bandwidth-optimal, and between neighbours only. Any p.
// Thakur, Rabenseifner and Gropp, "Optimization of collective communication
// operations in MPICH", IJHPCA 19(1), 2005.

#include "collectives/algorithm.hpp"
#include "collectives/allgather/around_ring.hpp"
#include "collectives/times.hpp"

namespace stretto {
namespace {

Schedule build(const Shape& shape, const Layout& /*layout*/, Rank me) {
  Builder step(shape, me);
  const Ring ring{shape.size, me};
  const Count n = shape.count;

  const Region own = step.input({0, n});
  step.copy(own, step.output({me * n, n}));
  const auto got = [&](int block) { return Pieces{step.output({block * n, n})}; };
  const auto leaving = [&](int block) { return block == me ? Pieces{own} : got(block); };
  Windows window;
  pass_round(step, ring, ring, n > 0 ? shape.size : 0, window, kNoStep, {kNoStep}, leaving, got,
             [](int, Count) { return kNoStep; });
  return step.finish();
}

double time(const Shape& shape, const Network& network) {
  return network.copy(shape.count) + network.ring(shape.size, shape.size - 1, shape.count, 0);
}

}  // namespace

extern const Algorithm allgather_ring;
const Algorithm allgather_ring{.collective = Collective::allgather,
                               .name = "ring",
                               .build = build,
                               .time = time,
                               .single_blocks = true};

}  // namespace stretto
