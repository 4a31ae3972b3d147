// Repeated timings of one thing.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

#include "base/clock.hpp"
#include "base/config.hpp"

namespace stretto::bench {

// Buffers as long as this are used in turn with others, as a program has more than caches hold;
// shorter ones are still there from the call before.
constexpr std::int64_t kOutOfCaches = 2 << 20;

// So far from the same place of a page as another buffer: at the same place loads wait for stores
// that they have nothing to do with.
constexpr std::size_t kApart = 1088;

// Of the usual time for which measurements are repeated: less of it, fewer repetitions, more noise.
[[nodiscard]] inline double share_of_time() {
  static const auto percent =
      static_cast<double>(number_setting("STRETTO_CALIBRATE_PERCENT", 1).value_or(100));
  return percent / 100;
}

// How often something is repeated that is repeated `usual` times in the usual time.
[[nodiscard]] inline int fewer(int usual, int least = 1) {
  return std::clamp(static_cast<int>(std::lround(share_of_time() * usual)), least, usual);
}

// In ns: what it takes, and the quartiles around it.
struct Sample {
  double typical = 0;
  double low = 0;
  double high = 0;
};

// What it takes undisturbed: the median.
[[nodiscard]] inline Sample summary(std::vector<double> times) {
  std::sort(times.begin(), times.end());
  const auto at = [&](double part) {
    return times[static_cast<std::size_t>(part * static_cast<double>(times.size() - 1))];
  };
  return {.typical = at(0.5), .low = at(0.25), .high = at(0.75)};
}

// Of few of which some are too long, and none is too short: the least of them.
[[nodiscard]] inline Sample least(const std::vector<double>& times) {
  const double shortest = *std::ranges::min_element(times);
  return {.typical = shortest, .low = shortest, .high = summary(times).high};
}

// What a program pays: the mean, disturbances included. One counts for no more than as much again
// as the median, as long ones are too rare to be met as often as they happen.
[[nodiscard]] inline Sample average(const std::vector<double>& times) {
  Sample sample = summary(times);
  const double most = 2 * sample.typical;
  const double sum =
      std::accumulate(times.begin(), times.end(), 0.0,
                      [&](double before, double time) { return before + std::min(time, most); });
  sample.typical = sum / static_cast<double>(times.size());
  return sample;
}

}  // namespace stretto::bench
