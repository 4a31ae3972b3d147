// Ranks in a circle.
#pragma once

#include <algorithm>

namespace stretto {

class Ring {
 public:
  Ring(int size, int me) : size_(size), me_(me) {}

  [[nodiscard]] int size() const { return size_; }
  [[nodiscard]] int next() const { return after(1); }
  [[nodiscard]] int previous() const { return before(1); }

  // `steps` places onwards or backwards, 0 <= steps <= size.
  [[nodiscard]] int after(int steps) const { return (me_ + steps) % size_; }
  [[nodiscard]] int before(int steps) const { return (me_ - steps + size_) % size_; }

  // Where block before(r) leaves in round r and before(r + 1) arrives: the first round, from this
  // one on, that has to do with one of the first `blocks`.
  [[nodiscard]] int round_with(int blocks, int round) const {
    return round + std::max(0, before(round) - blocks);
  }

 private:
  int size_;
  int me_;
};

}  // namespace stretto
