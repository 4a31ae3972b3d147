// How many messages of one kind a rank has in flight at a time. Each look at them takes the longer
// the more they are, all at once those of 100,000 ranks would be 200,000 requests, and with more
// than 65,536 between two ranks, which its 16 bits do not tell apart, Open MPI 4.1 takes one for
// another.
#pragma once

#include <array>

#include "schedule/schedule.hpp"

namespace stretto {

inline constexpr int kMostInFlight = 256;

class Window {
 public:
  // The next message may begin when this is done.
  [[nodiscard]] StepId before_next() const {
    return next_ < kMostInFlight ? kNoStep : steps_[next_ % kMostInFlight];
  }
  StepId add(StepId step) { return steps_[next_++ % kMostInFlight] = step; }

 private:
  // Read only where it was written: to fill it takes as long as to build a leaf's schedule.
  std::array<StepId, kMostInFlight> steps_;
  std::size_t next_ = 0;
};

// Of both kinds.
struct Windows {
  Window sends;
  Window receives;
};

}  // namespace stretto
