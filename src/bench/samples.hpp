// Repeated timings of one thing.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/clock.hpp"

namespace stretto::bench {

// Buffers as long as this are used in turn with others, as a program has more than caches hold;
// shorter ones are still there from the call before.
constexpr std::int64_t kOutOfCaches = 2 << 20;

// So far from the same place of a page as another buffer: at the same place loads wait for stores
// that they have nothing to do with.
constexpr std::size_t kApart = 1088;

// In ns: the median, and the quartiles around it.
struct Sample {
  double median = 0;
  double low = 0;
  double high = 0;
};

[[nodiscard]] inline Sample summary(std::vector<double> times) {
  std::sort(times.begin(), times.end());
  const auto at = [&](double part) {
    return times[static_cast<std::size_t>(part * static_cast<double>(times.size() - 1))];
  };
  return {.median = at(0.5), .low = at(0.25), .high = at(0.75)};
}

}  // namespace stretto::bench
