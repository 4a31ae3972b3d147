// How programs say that what they were given cannot be used.
#pragma once

#include <stdexcept>

namespace stretto::programs {

inline constexpr int kBug = 1;
inline constexpr int kBadInput = 2;

// Not usable: its text says what is wrong and what is known.
struct BadInput : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace stretto::programs
