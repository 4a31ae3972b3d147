// `number` consecutive places of a circle from `first` on, as the at most two
// straight runs it is made of: [first, first + straight()) and [0, wrapped()).
#pragma once

#include <algorithm>

namespace stretto {

class CyclicRun {
 public:
  CyclicRun(int size, int first, int number) : size_(size), first_(first), number_(number) {}

  [[nodiscard]] int straight() const { return std::min(number_, size_ - first_); }
  [[nodiscard]] int wrapped() const { return number_ - straight(); }

 private:
  int size_;
  int first_;
  int number_;
};

}  // namespace stretto
