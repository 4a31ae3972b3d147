// Ordered gather: the root asks for the blocks, of two ranks at a time.
//
// Cost, p ranks, n elements: p alpha + (p-1) n beta.
// For long blocks, where all senders at once would share the root's link and all be done in the
// end: a sender whose turn it is has the link almost to itself, and on average is free in half the
// time. The second one hides what asking takes. Any p, any root. As receiver-driven transports
// grant turns: Montazeri, Li, Alizadeh and Ousterhout, "Homa: a receiver-driven low-latency
// transport protocol using network priorities", SIGCOMM 2018.

#include <vector>

#include "collectives/algorithm.hpp"
#include "collectives/times.hpp"
#include "collectives/window.hpp"
#include "patterns/ring.hpp"
#include "schedule/builder.hpp"

namespace stretto {
namespace {

constexpr std::size_t kAtATime = 2;

Schedule build(const Shape& shape, const Layout& /*layout*/, Rank me) {
  Builder step(shape, me);
  if (shape.count == 0) return step.finish();  // nobody need be asked for nothing
  const Count n = shape.count;
  const Region own = step.input({0, n});
  if (me != shape.root) {
    const StepId asked = step.await(shape.root);
    step.send(shape.root, own, after(asked));
    return step.finish();
  }
  step.copy(own, step.output({me * n, n}));
  const Ring ring(shape.size, me);
  std::vector<StepId> come;
  Window asked;
  for (int distance = 1; distance < shape.size; ++distance) {
    const Rank rank = ring.after(distance);
    const StepId before = come.size() < kAtATime ? kNoStep : come[come.size() - kAtATime];
    asked.add(step.signal(rank, after(before, asked.before_next())));
    come.push_back(step.recv(rank, step.output({rank * n, n}), after(before)));
  }
  return step.finish();
}

// The blocks one after the other, and the first question.
double time(const Shape& shape, const Network& network) {
  return network.hop(1, 0) + fan_in(network, shape.size, shape.count);
}

}  // namespace

extern const Algorithm gather_ordered;
const Algorithm gather_ordered{.collective = Collective::gather,
                               .name = "ordered",
                               .build = build,
                               .time = time,
                               .single_blocks = true};

}  // namespace stretto
