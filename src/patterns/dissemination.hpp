// Rounds of distance 1, 2, 4, ... round the circle, for any number of ranks: after
// round k a rank has heard, directly or not, from the 2^(k+1) - 1 ranks behind it.
#pragma once

#include <vector>

#include "patterns/ring.hpp"

namespace stretto {

struct DisseminationRound {
  int distance;
  int ahead;   // the rank `distance` places on
  int behind;  // and the one as far back
};

[[nodiscard]] inline std::vector<DisseminationRound> dissemination_rounds(int size, int me) {
  const Ring ring{size, me};
  std::vector<DisseminationRound> rounds;
  for (int distance = 1; distance < size; distance *= 2) {
    rounds.push_back({distance, ring.after(distance), ring.before(distance)});
  }
  return rounds;
}

}  // namespace stretto
