// When to look next at an operation in the background.
//
// A look takes the core from the computation, and a look too late keeps the next step
// waiting. But calls repeat, and so does the time from one event of an operation (a
// message done) to the next: it is learned per plan, and the looks go where it says.
#pragma once

#include <algorithm>
#include <cstdint>

namespace stretto {

// The usual time between two events; all in ns.
class Rhythm {
 public:
  // After an event, when the first look for the next one is worth while: a little early.
  // 0: not known.
  [[nodiscard]] std::int64_t first_look_ns() const { return gap_ns_; }

  // An event was found `gap_ns` after the one before. Where nobody had looked in between
  // it may have lain there for long.
  void found(std::int64_t gap_ns, bool looked_between) {
    gap_ns = std::min(gap_ns, kLongestGap);
    if (!looked_between) gap_ns = gap_ns * 7 / 8;
    gap_ns_ = gap_ns_ == 0 ? gap_ns : (gap_ns_ + gap_ns) / 2;
  }

 private:
  // A rank that came late once is soon forgotten.
  static constexpr std::int64_t kLongestGap = 8'000'000;
  std::int64_t gap_ns_ = 0;
};

// One operation's place in the rhythm of its plan. `look` counts the looks of all.
class Pace {
 public:
  void start(std::int64_t now_ns, long look) {
    event_ns_ = now_ns;
    look_ = look;
  }

  void event(Rhythm& rhythm, std::int64_t now_ns, long look) {
    if (look == look_) return;  // found together with another
    rhythm.found(now_ns - event_ns_, look - look_ > 1);
    start(now_ns, look);
  }

  [[nodiscard]] std::int64_t expected_ns(const Rhythm& rhythm) const {
    return event_ns_ + rhythm.first_look_ns();
  }

 private:
  std::int64_t event_ns_ = 0;
  long look_ = 0;
};

}  // namespace stretto
