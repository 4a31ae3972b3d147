// The first half of Rabenseifner's algorithms: after the ranks in excess of a power
// of two are folded away, recursive halving leaves each survivor with one block of
// the reduced vector.
#pragma once

#include <vector>

#include "collectives/partial.hpp"
#include "patterns/blocks.hpp"
#include "patterns/fold.hpp"
#include "patterns/halving.hpp"
#include "schedule/builder.hpp"

namespace stretto {

struct Halved {
  std::vector<StepId> given;  // of each round, the send of the half given away
  StepId done = kNoStep;
};

// For survivors, each of which is left with one of `blocks`, as Blocks cuts them or in any
// other way; a rank folded away sends its input to its partner instead. Nothing begins before
// `ready`.
template <class Cut>
Halved reduce_by_halving(Builder& step, const Fold& fold, const std::vector<HalvingRound>& rounds,
                         const Cut& blocks, Rank me, Partial& partial, StepId ready = kNoStep) {
  Halved halved{.given = {}, .done = ready};
  const auto combine_with = [&](Rank peer, Span span) {
    const StepId received = step.recv(peer, partial.landing(span), after(halved.done));
    halved.done = partial.combine(span, peer < me, after(received));
  };

  if (fold.has_partner()) combine_with(fold.partner(), blocks.run(0, fold.survivors()));
  for (const auto& round : rounds) {
    const Rank peer = fold.rank_of(round.peer);
    const Region given = partial.at(blocks.run(round.give, round.blocks));
    halved.given.push_back(step.send(peer, given, after(halved.done)));
    combine_with(peer, blocks.run(round.keep, round.blocks));
  }
  return halved;
}

}  // namespace stretto
