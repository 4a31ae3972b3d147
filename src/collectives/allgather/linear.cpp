// Linear allgather: every rank sends every other its block, all at once.
//
// Cost, p ranks, n elements: (p-1) alpha + (p-1) n beta.
// For short blocks that differ in size, of which ring would take one after the other all the way
// round: here none waits for another, and a late rank delays its own block only. Any p.
// Chan, Heimlich, Purkayastha and van de Geijn, "Collective communication: theory, practice, and
// experience", CCPE 19(13), 2007.

#include "collectives/algorithm.hpp"
#include "collectives/all_at_once.hpp"
#include "collectives/times.hpp"

namespace stretto {
namespace {

Schedule build(const Shape& shape, const Layout& /*layout*/, Rank me) {
  Builder step(shape, me);
  const Count n = shape.count;
  const Region own = step.input({0, n});
  step.copy(own, step.output({me * n, n}));
  exchange_with_all_others(
      step, {shape.size, me}, {}, [&](Rank from) { return step.output({from * n, n}); },
      [&](Rank) { return own; });
  return step.finish();
}

double time(const Shape& shape, const Network& network) {
  return network.copy(shape.count) + network.all_at_once(shape.size, shape.count, 0);
}

}  // namespace

extern const Algorithm allgather_linear;
const Algorithm allgather_linear{.collective = Collective::allgather,
                                 .name = "linear",
                                 .build = build,
                                 .time = time,
                                 .single_blocks = true,
                                 .in_one_round = true};

}  // namespace stretto
