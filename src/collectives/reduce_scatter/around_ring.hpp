// Sums that go round a ring: the reduce-scatter that its allreduce begins with.
#pragma once

#include <vector>

#include "collectives/window.hpp"
#include "patterns/blocks.hpp"
#include "patterns/ring.hpp"
#include "schedule/builder.hpp"

namespace stretto {

struct RingSums {
  std::vector<std::vector<StepId>> sent;  // by block and segment
  std::vector<StepId> ready;              // by segment of this rank's block, the one after its own
};

// Round r sends block me-r and adds to block me-r-1: block me+1 becomes complete. The segments of
// a block, `segments_of(block)`, go round side by side. Only the first `blocks` have any.
template <class SegmentsOf>
RingSums add_round(Builder& step, const Ring& ring, int blocks, Windows& window, bool in_place,
                   const SegmentsOf& segments_of) {
  RingSums sums;
  sums.sent.resize(static_cast<std::size_t>(blocks));
  sums.ready.assign(static_cast<std::size_t>(segments_of(ring.before(0)).size()), kNoStep);
  for (int round = ring.round_with(blocks, 0); round + 1 < ring.size();
       round = ring.round_with(blocks, round + 1)) {
    const int block = ring.before(round);
    const Segments leaving = segments_of(block);
    for (Count i = 0; i < leaving.size(); ++i) {
      const Region partial = round == 0 ? step.input(leaving[i]) : step.output(leaving[i]);
      const StepId added = sums.ready[static_cast<std::size_t>(i)];
      const After free = after(added, window.sends.before_next());
      sums.sent[static_cast<std::size_t>(block)].push_back(
          window.sends.add(step.send(ring.next(), partial, free)));
    }
    // Nothing need be copied: what arrives lands where the sum goes, or, if our own
    // addend is there already, in scratch.
    const Segments arriving = segments_of(ring.before(round + 1));
    sums.ready.clear();
    for (Count i = 0; i < arriving.size(); ++i) {
      const Region sum = step.output(arriving[i]);
      const Region theirs = in_place ? step.scratch(arriving[i]) : sum;
      const Region addend = in_place ? theirs : step.input(arriving[i]);
      const After free = after(window.receives.before_next());
      const StepId received = window.receives.add(step.recv(ring.previous(), theirs, free));
      sums.ready.push_back(step.reduce(addend, sum, after(received)));
    }
  }
  return sums;
}

}  // namespace stretto
