// What a thread does between two polls while it waits.
//
// On a core of its own it spins, then yields, then sleeps ever longer, never more than
// a sixteenth of the time waited so far: latency stays that of spinning. Where ranks share
// cores it yields at once: every turn it spins is one the rank it waits for cannot use.
// A yield that comes back late says that somebody computes on this core and uses up its time
// slice; then it sleeps at once, for a thread that wakes up soon gets the core back. That a core
// is shared is so noticed, too, where no rank can see it (hosts that are one machine's).
#pragma once

#include <cstdint>

#include "base/clock.hpp"

namespace stretto {

class Idle {
 public:
  explicit Idle(bool oversubscribed) : oversubscribed_(oversubscribed) {}

  // Nothing happened at the last poll. `on_host`: all that is waited for comes from ranks that this
  // one shares memory with. They wait for each other, and who yields to them is soon back.
  void pause(bool on_host);
  // Something did: be quick again.
  void reset() { started_ns_ = waited_ns_ = 0; }
  // A part of something did: sleeps come as if the wait began now.
  void stay_awake() { has_moved_ = true; }
  // How long nothing has happened, at the last pause.
  [[nodiscard]] std::int64_t waited_ns() const { return waited_ns_; }

 private:
  bool oversubscribed_;
  std::int64_t started_ns_ = 0;
  std::int64_t paused_ns_ = 0;  // when it last did
  std::int64_t moved_ns_ = 0;   // when at last a part had moved, or since when it waits
  bool has_moved_ = false;
  std::int64_t waited_ns_ = 0;
};

}  // namespace stretto
