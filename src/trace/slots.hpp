// Numbers for things that come and go: what comes gets the lowest that is free, so the same
// coming and going gets the same numbers each time, and can be folded.
#pragma once

#include <set>

namespace stretto::trace {

class Slots {
 public:
  [[nodiscard]] int take() {
    if (free_.empty()) return next_++;
    return free_.extract(free_.begin()).value();
  }
  void release(int slot) { free_.insert(slot); }

 private:
  int next_ = 0;
  std::set<int> free_;  // below it
};

}  // namespace stretto::trace
