// Dissemination barrier: in round k every rank signals the rank 2^k ahead, so
// that what a rank has heard, directly or not, doubles each round.
//
// Cost, p ranks, n elements: lg(p) alpha.
// As few rounds as a barrier can have, for any p; p lg(p) messages in all, which
// crowd a shared link: see tree.
// Hensgen, Finkel and Manber, "Two algorithms for barrier synchronization",
// International Journal of Parallel Programming 17(1), 1988.

#include <vector>

#include "collectives/algorithm.hpp"
#include "collectives/barrier/signals.hpp"
#include "collectives/times.hpp"
#include "schedule/builder.hpp"

namespace stretto {
namespace {

Schedule build(const Shape& shape, const Layout& /*layout*/, Rank me) {
  Builder step(shape, me);
  std::vector<StepId> heard;
  spread(step, shape.size, me, heard);
  return step.finish();
}

double time(const Shape& shape, const Network& network) {
  Exchanges rounds(network);
  for (int distance = 1; distance < shape.size; distance *= 2) rounds.onwards(distance, 0);
  return rounds.end();
}

}  // namespace

extern const Algorithm barrier_dissemination;
const Algorithm barrier_dissemination{
    .collective = Collective::barrier, .name = "dissemination", .build = build, .time = time};

}  // namespace stretto
