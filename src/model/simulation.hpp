// What a simulation is asked and what it answers.
#pragma once

#include <cstdint>
#include <vector>

#include "base/large_pages.hpp"
#include "topology/machine.hpp"

namespace stretto::model {

// The operating system's: every `period` a rank's CPU does something else for `lasts`; each
// rank's first such moment is drawn from `seed`. Times in ns; period 0: none.
struct Noise {
  double period = 0;
  double lasts = 0;
  std::uint64_t seed = 0;
};

struct Conditions {
  std::vector<double> arrivals{};  // of each rank, in ns
  Noise noise{};
};

using Ends = LargeVector<double>;  // by rank

struct Outcome {
  Ends ends{};  // when each rank is done, in ns
  std::int64_t messages = 0;
  std::int64_t events = 0;  // sends, receives, copies and reductions that took place
};

}  // namespace stretto::model
