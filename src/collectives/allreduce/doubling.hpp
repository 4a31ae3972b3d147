// Recursive doubling among the ranks that a builder's peers are.
#pragma once

#include "collectives/allreduce/folded.hpp"
#include "collectives/partial.hpp"
#include "patterns/exchange.hpp"

namespace stretto {

// Of what the `size` ranks have, from `ready` on, each gets the sum home; returns when it is there.
// This is rank `me` of them.
inline StepId allreduce_by_doubling(Builder& step, int size, Rank me, Partial& partial,
                                    const Span& all, StepId ready = kNoStep) {
  const Fold fold = Fold::to_power_of_two(size, me);
  if (!fold.survives()) return leave_to_partner(step, fold, partial, all, ready);
  if (fold.has_partner()) {
    const StepId received = step.recv(fold.partner(), partial.landing(all), after(ready));
    ready = partial.combine(all, fold.partner() < me, after(received));
  }
  for (const auto& round : doubling_rounds(fold.survivors(), fold.number())) {
    const Rank peer = fold.rank_of(round.peer);
    const StepId sent = step.send(peer, partial.at(all), after(ready));
    const StepId received = step.recv(peer, partial.landing(all), after(ready));
    ready = partial.combine(all, peer < me, after(sent, received));
  }
  ready = partial.settle(all, after(ready));
  if (fold.has_partner()) step.send(fold.partner(), partial.home(all), after(ready));
  return ready;
}

}  // namespace stretto
