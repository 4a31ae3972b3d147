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

// Before what no message of an exchange begins: one that is received comes where something lay, one
// that is sent leaves what was made.
struct Ready {
  StepId to_receive = kNoStep;
  StepId to_send = kNoStep;
};

// Of both: to where `arriving(from)` is, and from where `leaving(to)` is. Exchanges that may
// overlap share their windows.
template <class Arriving, class Leaving>
Exchanged exchange_with_all_others(Builder& step, const Ring& ring, Windows& window,
                                   const Ready& ready, const Arriving& arriving,
                                   const Leaving& leaving) {
  Exchanged exchanged;
  exchanged.received.assign(static_cast<std::size_t>(ring.size()), kNoStep);
  for (int distance = 1; distance < ring.size(); ++distance) {
    const Rank from = ring.before(distance);
    const Rank to = ring.after(distance);
    const StepId sent = window.sends.before_next();
    const StepId received = window.receives.before_next();
    exchanged.received[static_cast<std::size_t>(from)] = window.receives.add(
        step.recv(from, arriving(from), after(sent, received, ready.to_receive)));
    exchanged.sent.push_back(
        window.sends.add(step.send(to, leaving(to), after(sent, received, ready.to_send))));
  }
  return exchanged;
}
template <class Arriving, class Leaving>
Exchanged exchange_with_all_others(Builder& step, const Ring& ring, const Ready& ready,
                                   const Arriving& arriving, const Leaving& leaving) {
  Windows window;
  return exchange_with_all_others(step, ring, window, ready, arriving, leaving);
}

}  // namespace stretto
