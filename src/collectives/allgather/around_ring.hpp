// Blocks that go round a ring: what its allgathers are made of.
#pragma once

#include <vector>

#include "collectives/window.hpp"
#include "patterns/blocks.hpp"
#include "patterns/ring.hpp"
#include "schedule/builder.hpp"

namespace stretto {

// The messages that a block goes in; none where it is empty.
struct Pieces {
  Buffer buffer{};
  Segments spans;

  explicit Pieces(const Region& block, Count segment = 0)
      : buffer(block.buffer), spans(block.span, segment) {}
  [[nodiscard]] static Pieces none() { return Pieces(Region{}); }
  [[nodiscard]] Count size() const { return spans.size(); }
  [[nodiscard]] Region operator[](Count piece) const { return {buffer, spans[piece]}; }
};

// In round r a rank sends block `numbers.before(r)` on and gets block `numbers.before(r + 1)`, as
// far as `leaving(block)` and `arriving(block)` say so. The pieces of its first block are ready
// when `ready` are, and all that it does not get when `here` is. A block it gets comes over what
// is in use until `unused(block, piece)`. All but the first `blocks` are empty.
template <class Leaving, class Arriving, class Unused>
void pass_round(Builder& step, const Ring& ring, const Ring& numbers, int blocks, Windows& window,
                StepId here, std::vector<StepId> ready, const Leaving& leaving,
                const Arriving& arriving, const Unused& unused) {
  for (int round = numbers.round_with(blocks, 0); round + 1 < ring.size();
       round = numbers.round_with(blocks, round + 1)) {
    const Pieces out = leaving(numbers.before(round));
    for (Count i = 0; i < out.size(); ++i) {
      // In the ring's order even if it has been here for long: sent early, it would hold up one
      // that the ranks further on wait for.
      const StepId come = ready[static_cast<std::size_t>(i)];
      const After free = after(here, come, window.sends.before_next());
      window.sends.add(step.send(ring.next(), out[i], free));
    }
    const int block = numbers.before(round + 1);
    const Pieces in = arriving(block);
    if (in.size() > 0) ready.clear();
    for (Count i = 0; i < in.size(); ++i) {
      const After free = after(unused(block, i), window.receives.before_next());
      ready.push_back(window.receives.add(step.recv(ring.previous(), in[i], free)));
    }
  }
}

}  // namespace stretto
