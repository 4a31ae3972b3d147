#include "bench/suite/work_unit.hpp"

#include <algorithm>

#include "base/clock.hpp"

namespace stretto::bench {
namespace {

constexpr std::int64_t kTrialSteps = 100'000;
constexpr int kTrials = 100;

void take_steps(std::int64_t steps) {
  double value = 1;
  for (std::int64_t i = 0; i < steps; ++i) {
    value = value * 0.999999 + 0.000001;
    // Neither leaves the loop away nor works out its end.
    __asm__ volatile("" : "+g"(value));
  }
}

}  // namespace

Work::Work() {
  // The fastest: anything else was disturbed.
  std::int64_t shortest = 0;
  for (int trial = 0; trial < kTrials; ++trial) {
    const std::int64_t begin = now_ns();
    take_steps(kTrialSteps);
    const std::int64_t took = std::max<std::int64_t>(now_ns() - begin, 1);
    shortest = trial == 0 ? took : std::min(shortest, took);
  }
  steps_per_ns_ = static_cast<double>(kTrialSteps) / static_cast<double>(shortest);
}

void Work::run_part(std::int64_t duration_ns, int part, int parts) const {
  const double steps = static_cast<double>(duration_ns) * steps_per_ns_ / parts;
  const auto begin = static_cast<std::int64_t>(steps * part);
  take_steps(static_cast<std::int64_t>(steps * (part + 1)) - begin);
}

}  // namespace stretto::bench
