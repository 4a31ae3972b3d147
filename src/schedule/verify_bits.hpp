// Rows of bits: for each step, the steps or ranks something holds of.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace stretto {

class BitRows {
 public:
  BitRows(std::size_t rows, std::size_t columns)
      : words_((columns + 63) / 64), bits_(rows * words_) {}

  void set(std::size_t row, std::size_t column) {
    bits_[row * words_ + column / 64] |= std::uint64_t{1} << (column % 64);
  }
  [[nodiscard]] bool has(std::size_t row, std::size_t column) const {
    return ((bits_[row * words_ + column / 64] >> (column % 64)) & 1U) != 0;
  }
  void add_row(std::size_t row, std::size_t other) {
    for (std::size_t w = 0; w < words_; ++w) bits_[row * words_ + w] |= bits_[other * words_ + w];
  }

 private:
  std::size_t words_;
  std::vector<std::uint64_t> bits_;
};

}  // namespace stretto
