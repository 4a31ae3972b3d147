// Ways to cut a vector up.
#pragma once

#include <algorithm>

#include "base/span.hpp"

namespace stretto {

// `parts` blocks that differ by at most one element; the longer ones come first.
// With fewer elements than parts the last blocks are empty.
class Blocks {
 public:
  Blocks(Count count, int parts) : count_(count), parts_(parts) {}

  [[nodiscard]] Span operator[](int block) const { return run(block, 1); }
  // The block that has the element.
  [[nodiscard]] int holder_of(Count element) const {
    const Count least = count_ / parts_;
    const Count in_longer = count_ % parts_ * (least + 1);
    if (element < in_longer) return static_cast<int>(element / (least + 1));
    return static_cast<int>(count_ % parts_ + (element - in_longer) / least);
  }
  // Those before it are not empty.
  [[nodiscard]] int first_empty() const {
    return static_cast<int>(std::min<Count>(count_, parts_));
  }

  // `number` consecutive blocks from `first` on.
  [[nodiscard]] Span run(int first, int number) const {
    return {start(first), start(first + number) - start(first)};
  }

 private:
  [[nodiscard]] Count start(int block) const {
    return block * (count_ / parts_) + std::min<Count>(block, count_ % parts_);
  }

  Count count_;
  int parts_;
};

// Pieces of `segment` elements, the last one what is left; one piece if `segment` is 0.
class Segments {
 public:
  Segments(Span whole, Count segment)
      : whole_(whole), segment_(segment > 0 ? segment : std::max<Count>(whole.count, 1)) {}
  Segments(Count count, Count segment) : Segments(Span{0, count}, segment) {}

  [[nodiscard]] Count size() const { return (whole_.count + segment_ - 1) / segment_; }

  [[nodiscard]] Span operator[](Count piece) const {
    const Count start = piece * segment_;
    return {whole_.offset + start, std::min(segment_, whole_.count - start)};
  }

 private:
  Span whole_;
  Count segment_;
};

}  // namespace stretto
