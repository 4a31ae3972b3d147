// When a program that asks again and again does nothing else.
#pragma once

#include <cstdint>

namespace stretto::intercept {

// A program that asks again within this time, in ns, waits; what it did meanwhile depends on the
// host.
inline constexpr std::int64_t kAsksAgain = 5'000;

}  // namespace stretto::intercept
