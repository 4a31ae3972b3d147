// What is said of caches without knowing them.
#pragma once

#include <cstdint>

namespace stretto {

// Calls with fewer bytes do not wait for their data, wherever those are.
inline constexpr std::int64_t kShowsCaches = 16 << 10;

}  // namespace stretto
