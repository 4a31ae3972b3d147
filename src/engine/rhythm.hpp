// When to poll next for an operation in the background.
//
// A poll takes the core from the computation, and a poll too late keeps the next step
// waiting. But calls repeat, and so does the time from one event of an operation (a
// message done) to the next: it is learned per plan, and the polls go where it says.
#pragma once

#include <algorithm>
#include <cstdint>

namespace stretto {

// The usual time between two events; all in ns.
class Rhythm {
 public:
  // After an event, when the first poll for the next one is worth while: a little early.
  // 0: not known.
  [[nodiscard]] std::int64_t first_poll_ns() const { return gap_ns_; }

  // An event was found `gap_ns` after the one before. Where nobody had polled in between
  // it may have lain there for long.
  void found(std::int64_t gap_ns, bool polled_between) {
    gap_ns = std::min(gap_ns, kLongestGap);
    if (!polled_between) gap_ns = gap_ns * 7 / 8;
    gap_ns_ = gap_ns_ == 0 ? gap_ns : (gap_ns_ + gap_ns) / 2;
  }

 private:
  // A rank that came late once is soon forgotten.
  static constexpr std::int64_t kLongestGap = 8'000'000;
  std::int64_t gap_ns_ = 0;
};

// One operation's place in the rhythm of its plan. `poll` counts the polls of all.
class Pace {
 public:
  void start(std::int64_t now_ns, long poll) {
    event_ns_ = now_ns;
    poll_ = poll;
  }

  [[nodiscard]] bool has_started() const { return event_ns_ != 0; }

  void event(Rhythm& rhythm, std::int64_t now_ns, long poll) {
    if (!has_started()) return start(now_ns, poll);
    if (poll == poll_) return;  // found together with another
    rhythm.found(now_ns - event_ns_, poll - poll_ > 1);
    start(now_ns, poll);
  }

  [[nodiscard]] std::int64_t expected_ns(const Rhythm& rhythm) const {
    return event_ns_ + rhythm.first_poll_ns();
  }

 private:
  std::int64_t event_ns_ = 0;
  long poll_ = 0;
};

}  // namespace stretto
