// What the tests of the selection ask for, and where.
#pragma once

#include "selection/selection.hpp"

namespace stretto {

inline constexpr Surroundings kOneHost{.hosts = 1, .progress_thread = true};
inline constexpr Surroundings kTwoHosts{.hosts = 2, .progress_thread = true};

inline Query query(Collective collective, Count bytes, int size = 4) {
  return {.collective = collective, .size = size, .bytes = bytes};
}

}  // namespace stretto
