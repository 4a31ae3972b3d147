// How sums were made: two that are added up in the same way have the same bits, two others need
// not, as additions of floating-point numbers are rounded.
#pragma once

#include <cstdint>
#include <unordered_map>

namespace stretto {

// One number a way. Which operand is left makes no difference to the bits of an operation that
// commutes (but to a zero's sign in a maximum and to what a NaN carries), and others' operands have
// their places anyway.
class SumWays {
 public:
  using Id = std::int32_t;

  // Ways 0..size-1 are one rank's input each.
  explicit SumWays(int size) : next_(size) {}

  [[nodiscard]] Id joined(Id left, Id right) {
    const auto lower = static_cast<std::uint32_t>(left < right ? left : right);
    const auto upper = static_cast<std::uint64_t>(left < right ? right : left);
    const auto [known, is_new] = joins_.try_emplace(upper << 32U | lower, next_);
    if (is_new) ++next_;
    return known->second;
  }

 private:
  std::unordered_map<std::uint64_t, Id> joins_;
  Id next_;
};

}  // namespace stretto
