// What an allreduce does on the ranks in excess of a power of two.
#pragma once

#include "patterns/fold.hpp"
#include "schedule/builder.hpp"

namespace stretto {

// For a rank that is folded away: its vector goes to its partner, the result comes back.
inline Schedule leave_to_partner(Builder& step, const Fold& fold, Span all) {
  const StepId sent = step.send(fold.partner(), step.input(all));
  step.recv(fold.partner(), step.output(all), after(sent));
  return step.finish();
}

}  // namespace stretto
