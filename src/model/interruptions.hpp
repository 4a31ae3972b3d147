// How long work takes on a rank's CPU, where something else takes it now and then and where
// nothing does.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "base/span.hpp"
#include "model/simulation.hpp"

namespace stretto::model {

struct Undisturbed {
  [[nodiscard]] static double after(Rank, double start, double work) { return start + work; }
};

// Fixed-work quanta: what is interrupted goes on when the interruption is over. Hoefler,
// Schneider and Lumsdaine, "Characterizing the influence of system noise on large-scale
// applications by simulation", SC 2010.
class Interrupted {
 public:
  Interrupted(const Noise& noise, int ranks) : period_(noise.period), lasts_(noise.lasts) {
    std::uint64_t state = noise.seed;
    for (int rank = 0; rank < ranks; ++rank) {
      phases_.push_back(period_ * static_cast<double>(mixed(state) >> 11) * 0x1p-53);
    }
  }

  // When `work` that wants the CPU at `start` is done.
  [[nodiscard]] double after(Rank rank, double start, double work) const {
    // Time since the last interruption began; the first one is a phase after time 0.
    const double since = start - phases_[static_cast<std::size_t>(rank)];
    const double into = since - std::floor(since / period_) * period_;
    const double begins = into < lasts_ && since >= 0 ? start + lasts_ - into : start;
    const double left = into < lasts_ && since >= 0 ? period_ - lasts_ : period_ - into;
    if (work <= left) return begins + work;
    const double interruptions = std::ceil((work - left) / (period_ - lasts_));
    return begins + work + interruptions * lasts_;
  }

 private:
  // SplitMix64: Steele, Lea and Flood, OOPSLA 2014.
  static std::uint64_t mixed(std::uint64_t& state) {
    state += 0x9e3779b97f4a7c15;
    std::uint64_t z = state;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }

  double period_;
  double lasts_;
  std::vector<double> phases_;
};

}  // namespace stretto::model
