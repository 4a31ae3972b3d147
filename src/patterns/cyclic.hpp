// Consecutive places of a circle, as the at most two straight runs they are made of.
#pragma once

#include <algorithm>

#include "base/span.hpp"

namespace stretto {

// Of `size` blocks of `length` elements, `number` from the first one on.
struct CyclicRun {
  Span straight;  // as far as the last block
  Span wrapped;   // the rest, from block 0 on

  CyclicRun(int size, int first, int number, Count length)
      : straight{first * length, std::min(number, size - first) * length},
        wrapped{0, number * length - straight.count} {}
};

}  // namespace stretto
