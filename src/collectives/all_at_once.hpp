// Messages with all other ranks, of which none waits for another as far as windows allow. The next
// rank comes first, so that not all begin with the same one.
#pragma once

#include <vector>

#include "collectives/window.hpp"
#include "patterns/ring.hpp"
#include "schedule/builder.hpp"

namespace stretto {

// Of one kind: `message(rank, after)`.
template <class Message>
void with_all_others(const Ring& ring, const Message& message) {
  Window window;
  for (int distance = 1; distance < ring.size(); ++distance) {
    window.add(message(ring.after(distance), after(window.before_next())));
  }
}

struct Exchanged {
  std::vector<StepId> received;  // by rank; kNoStep from itself
  std::vector<StepId> sent;
};

// Of both, none of which begins before `ready`: to where `arriving(from)` is, and from where
// `leaving(to)` is.
template <class Arriving, class Leaving>
Exchanged exchange_with_all_others(Builder& step, const Ring& ring, StepId ready,
                                   const Arriving& arriving, const Leaving& leaving) {
  Exchanged exchanged;
  exchanged.received.assign(static_cast<std::size_t>(ring.size()), kNoStep);
  Windows window;
  for (int distance = 1; distance < ring.size(); ++distance) {
    const Rank from = ring.before(distance);
    const Rank to = ring.after(distance);
    const After free = after(window.sends.before_next(), window.receives.before_next(), ready);
    exchanged.received[static_cast<std::size_t>(from)] =
        window.receives.add(step.recv(from, arriving(from), free));
    exchanged.sent.push_back(window.sends.add(step.send(to, leaving(to), free)));
  }
  return exchanged;
}

}  // namespace stretto
