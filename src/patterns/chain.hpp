// Ranks in a line from `head` on, going round after the last rank.
#pragma once

#include "patterns/ring.hpp"

namespace stretto {

class Chain {
 public:
  Chain(int size, int head, int me)
      : ring_(size, me), head_(head), tail_(Ring(size, head).previous()), me_(me) {}

  [[nodiscard]] bool is_head() const { return me_ == head_; }
  [[nodiscard]] bool is_tail() const { return me_ == tail_; }
  [[nodiscard]] int towards_head() const { return ring_.previous(); }
  [[nodiscard]] int towards_tail() const { return ring_.next(); }

 private:
  Ring ring_;
  int head_;
  int tail_;
  int me_;
};

}  // namespace stretto
