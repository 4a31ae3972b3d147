// Recursive halving: each round splits the blocks a rank is still concerned with
// in two, of which it keeps one and its peer across the hypercube the other. The
// nearest peer comes first, so the ranks behind any partial result are
// consecutive, and the largest messages have the shortest way.
#pragma once

#include <vector>

#include "patterns/exchange.hpp"

namespace stretto {

struct HalvingRound {
  int peer;
  int keep;    // first block this rank goes on with
  int give;    // first block its peer goes on with
  int blocks;  // in either half
};

// As many blocks as ranks; `size` is a power of two. In the end rank `me` keeps
// the one block whose number is `me` with its bits reversed.
[[nodiscard]] inline std::vector<HalvingRound> halving_rounds(int size, int me) {
  std::vector<HalvingRound> rounds;
  int first = 0;
  for (int distance = 1, blocks = size / 2; distance < size; distance *= 2, blocks /= 2) {
    const bool upper = (me & distance) != 0;
    const int keep = upper ? first + blocks : first;
    const int give = upper ? first : first + blocks;
    rounds.push_back({me ^ distance, keep, give, blocks});
    first = keep;
  }
  return rounds;
}

// The same with the farthest peer first: in the end rank `me` keeps block `me`, but the
// ranks behind a partial result are not consecutive.
[[nodiscard]] inline std::vector<HalvingRound> homing_rounds(int size, int me) {
  std::vector<HalvingRound> rounds;
  for (int distance = size / 2; distance > 0; distance /= 2) {
    const int keep = me & -distance;
    rounds.push_back({me ^ distance, keep, keep ^ distance, distance});
  }
  return rounds;
}

// The round in which the halves come back together.
[[nodiscard]] inline Exchange undone(const HalvingRound& round) {
  return {round.peer, round.keep, round.give, round.blocks};
}

// The one block that is left in the end.
[[nodiscard]] inline int own_block(const std::vector<HalvingRound>& rounds) {
  return rounds.empty() ? 0 : rounds.back().keep;
}

}  // namespace stretto
