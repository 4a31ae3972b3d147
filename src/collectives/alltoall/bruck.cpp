// Bruck's alltoall: a block that has d places to go travels by the binary digits
// of d; in round k every rank sends the rank 2^k ahead, in one message, all blocks
// it holds whose distance has digit k.
//
// Cost, p = 2^k ranks, n elements: lg(p) alpha + lg(p) n p/2 beta.
// For short blocks: lg(p) messages instead of p-1, though each block is sent and
// packed up to lg(p) times. Any p.
// Bruck, Ho, Kipnis, Upfal and Weathersby, "Efficient algorithms for all-to-all
// communications in multiport message-passing systems", IEEE TPDS 8(11), 1997.

#include <vector>

#include "collectives/algorithm.hpp"
#include "collectives/alltoall/outgoing.hpp"
#include "collectives/times.hpp"
#include "patterns/dissemination.hpp"
#include "patterns/ring.hpp"
#include "schedule/builder.hpp"

namespace stretto {
namespace {

struct Held {
  Region block;
  StepId ready;
};

Schedule build(const Shape& shape, const Layout& /*layout*/, Rank me) {
  Builder step(shape, me);
  const Ring ring{shape.size, me};
  const Count n = shape.count;
  const Outgoing outgoing{step, shape};

  std::vector<Held> held;  // by the distance its blocks have to go in all
  held.reserve(static_cast<std::size_t>(shape.size));
  for (int distance = 0; distance < shape.size; ++distance) {
    held.push_back({outgoing[ring.after(distance)], outgoing.ready()});
  }

  Count scratch = outgoing.scratch();
  for (const auto& round : dissemination_rounds(shape.size, me)) {
    std::vector<Held*> moving;
    for (int distance = 0; distance < shape.size; ++distance) {
      if ((distance & round.distance) == 0) continue;
      moving.push_back(&held[static_cast<std::size_t>(distance)]);
    }
    const Count length = std::ssize(moving) * n;
    const Span packed{scratch, length};
    const Span landed{packed.end(), length};
    scratch = landed.end();

    std::vector<StepId> packing;
    for (std::size_t i = 0; i < moving.size(); ++i) {
      const Region slot = step.scratch({packed.offset + static_cast<Count>(i) * n, n});
      packing.push_back(step.copy(moving[i]->block, slot, after(moving[i]->ready)));
    }
    step.send(round.ahead, step.scratch(packed), after(packing));
    const StepId received = step.recv(round.behind, step.scratch(landed));
    for (std::size_t i = 0; i < moving.size(); ++i) {
      *moving[i] = {step.scratch({landed.offset + static_cast<Count>(i) * n, n}), received};
    }
  }

  step.copy(step.input({me * n, n}), step.output({me * n, n}));
  for (int distance = 1; distance < shape.size; ++distance) {
    const Held& arrived = held[static_cast<std::size_t>(distance)];
    const Rank from = ring.before(distance);
    step.copy(arrived.block, step.output({from * n, n}), after(arrived.ready, outgoing.ready()));
  }
  return step.finish();
}

double time(const Shape& shape, const Network& network) {
  Exchanges rounds(network);
  for (int distance = 1; distance < shape.size; distance *= 2) {
    const Count blocks = with_digit(shape.size, distance);
    rounds.work(static_cast<double>(blocks) * network.copy(shape.count));
    rounds.onwards(distance, blocks * shape.count);
  }
  rounds.work(shape.size * network.copy(shape.count));
  return rounds.end();
}

}  // namespace

extern const Algorithm alltoall_bruck;
const Algorithm alltoall_bruck{
    .collective = Collective::alltoall,
    .name = "bruck",
    .build = build,
    .time = time,
    // 8,192 lg(p) copies to pack and as many messages' worth to unpack are 10 MB of steps.
    .most_ranks = 16'384};

}  // namespace stretto
