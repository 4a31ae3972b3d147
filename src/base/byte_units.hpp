// Units of lengths in bytes.
#pragma once

#include <cstdint>

namespace stretto {

inline constexpr std::int64_t kKiB = 1024;
inline constexpr std::int64_t kMiB = 1024 * kKiB;

}  // namespace stretto
