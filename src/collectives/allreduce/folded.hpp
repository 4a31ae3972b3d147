// What an allreduce does on the ranks in excess of a power of two.
#pragma once

#include "collectives/partial.hpp"
#include "patterns/fold.hpp"

namespace stretto {

// For a rank that is folded away: what it has goes to its partner, the result comes back.
inline StepId leave_to_partner(Builder& step, const Fold& fold, const Partial& partial,
                               const Span& all, StepId ready = kNoStep) {
  const StepId sent = step.send(fold.partner(), partial.at(all), after(ready));
  return step.recv(fold.partner(), partial.home(all), after(sent));
}

}  // namespace stretto
