// Which of very many are kept, where all ranks have to keep the same without a word between them.
#pragma once

#include <cstdint>

namespace stretto::intercept::profile {

// One in `stride`, a power of two, by their numbers; what one stride keeps the half of it keeps,
// too, and of any that come round in turn all have their share. SplitMix64's mixing.
[[nodiscard]] inline bool is_kept(std::int64_t number, std::int64_t stride) {
  auto z = static_cast<std::uint64_t>(number) + 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return ((z ^ (z >> 31)) & static_cast<std::uint64_t>(stride - 1)) == 0;
}

}  // namespace stretto::intercept::profile
