// Bruck's allgather: every rank collects the blocks of the ranks ahead of it, in
// that order; in round k it sends the 2^k it has to the rank 2^k behind. In the end
// they are rotated to where they belong.
//
// Cost, p ranks, n elements: lg(p) alpha + (p-1) n beta.
// For short blocks: fewest rounds for any p, at the price of scratch as large as
// the result and one more copy of it.
// Bruck, Ho, Kipnis, Upfal and Weathersby, "Efficient algorithms for all-to-all
// communications in multiport message-passing systems", IEEE TPDS 8(11), 1997.

#include <algorithm>
#include <vector>

#include "collectives/algorithm.hpp"
#include "collectives/times.hpp"
#include "patterns/cyclic.hpp"
#include "patterns/dissemination.hpp"
#include "schedule/builder.hpp"

namespace stretto {
namespace {

Schedule build(const Shape& shape, const Layout& /*layout*/, Rank me) {
  Builder step(shape, me);
  const Count n = shape.count;

  // Block i of scratch is that of the rank i places ahead.
  std::vector<StepId> here{step.copy(step.input({0, n}), step.scratch({0, n}))};
  for (const auto& round : dissemination_rounds(shape.size, me)) {
    const int held = round.distance;
    const int blocks = std::min(held, shape.size - held);
    step.send(round.behind, step.scratch({0, blocks * n}), after(here));
    here.push_back(step.recv(round.ahead, step.scratch({held * n, blocks * n})));
  }

  const auto [straight, wrapped] = CyclicRun(shape.size, me, shape.size, n);
  step.copy(step.scratch({0, straight.count}), step.output(straight), after(here));
  step.copy(step.scratch({straight.count, wrapped.count}), step.output(wrapped), after(here));
  return step.finish();
}

double time(const Shape& shape, const Network& network) {
  Exchanges rounds(network);
  rounds.work(network.copy(shape.count));
  for (int distance = 1; distance < shape.size; distance *= 2) {
    rounds.onwards(distance, std::min(distance, shape.size - distance) * shape.count);
  }
  rounds.work(2 * network.copy(shape.size * shape.count / 2));
  return rounds.end();
}

}  // namespace

extern const Algorithm allgather_bruck;
const Algorithm allgather_bruck{
    .collective = Collective::allgather, .name = "bruck", .build = build, .time = time};

}  // namespace stretto
