// Numbers for things that come and go: what comes gets the lowest that is free, so the same
// coming and going gets the same numbers each time, and can be folded.
#pragma once

#include <algorithm>
#include <vector>

namespace stretto::trace {

class Slots {
 public:
  [[nodiscard]] int take() {
    const auto free = std::find(used_.begin(), used_.end(), false);
    const auto slot = free - used_.begin();
    if (free == used_.end()) {
      used_.push_back(true);
    } else {
      *free = true;
    }
    return static_cast<int>(slot);
  }
  void release(int slot) { used_[static_cast<std::size_t>(slot)] = false; }

 private:
  std::vector<bool> used_;
};

}  // namespace stretto::trace
