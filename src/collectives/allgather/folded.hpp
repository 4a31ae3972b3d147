// Allgather by rounds of swaps between ranks, for algorithms that only work for
// some numbers of ranks: the ranks in excess hand their block to a neighbour that
// stands for both, and get the whole result from it in the end.
#pragma once

#include <span>
#include <vector>

#include "collectives/window.hpp"
#include "patterns/exchange.hpp"
#include "patterns/fold.hpp"
#include "schedule/builder.hpp"

namespace stretto {

// `rounds` are this rank's swaps as a survivor of `fold`, in survivors' numbers.
inline Schedule folded_allgather(const Shape& shape, Rank me, const Fold& fold,
                                 std::span<const Exchange> rounds) {
  Builder step(shape, me);
  const Count n = shape.count;
  const Region own = step.input({0, n});
  const Span all{0, shape.size * n};
  if (!fold.survives()) {
    const StepId sent = step.send(fold.partner(), own);
    step.recv(fold.partner(), step.output(all), after(sent));
    return step.finish();
  }

  // What survivors stand for lies together, in their order.
  const auto blocks = [&](int first, int number) {
    const int rank = fold.first_rank_of(first);
    return step.output({rank * n, (fold.first_rank_of(first + number) - rank) * n});
  };
  constexpr std::size_t kMostAtOnce = 32;  // more than a hypercube has rounds
  std::vector<StepId> here{step.copy(own, step.output({me * n, n}))};
  if (fold.has_partner()) {
    here.push_back(step.recv(fold.partner(), step.output({fold.partner() * n, n})));
  }
  Window sends;
  Window receives;
  for (const Exchange& round : rounds) {
    const Rank peer = fold.rank_of(round.peer);
    After ready = after(here);
    ready.add(sends.before_next());
    sends.add(step.send(peer, blocks(round.leaving, round.blocks), ready));
    const After free = after(receives.before_next());
    here.push_back(receives.add(step.recv(peer, blocks(round.arriving, round.blocks), free)));
    // There may be as many rounds as ranks: not each waits for all before it.
    if (here.size() > kMostAtOnce) here = {step.join(after(here))};
  }
  if (fold.has_partner()) step.send(fold.partner(), step.output(all), after(here));
  return step.finish();
}

}  // namespace stretto
