// Rounds in which ranks swap blocks in pairs. A block is named by the rank it
// started from; runs of blocks never go round the end.
#pragma once

#include <bit>
#include <vector>

namespace stretto {

struct Exchange {
  int peer;
  int leaving;   // first block sent to the peer
  int arriving;  // first block received from it
  int blocks;    // how many go either way
};

// Each round swaps all there is with the rank across a hypercube's next
// dimension, which doubles it. `size` is a power of two.
[[nodiscard]] inline std::vector<Exchange> doubling_rounds(int size, int me) {
  std::vector<Exchange> rounds;
  rounds.reserve(static_cast<std::size_t>(std::bit_width(static_cast<unsigned>(size))));
  for (int distance = 1; distance < size; distance *= 2) {
    const int peer = me ^ distance;
    rounds.push_back({peer, me & -distance, peer & -distance, distance});
  }
  return rounds;
}

// Ranks swap with their two neighbours in turn: first their own block within the
// pair (0,1), (2,3), ..., then always the pair of blocks that came last, so that
// blocks spread both ways round the circle. `size` is even, or 1.
[[nodiscard]] inline std::vector<Exchange> neighbor_rounds(int size, int me) {
  if (size == 1) return {};
  const int direction = me % 2 == 0 ? -1 : 1;  // of the neighbour in the other pair
  std::vector<Exchange> rounds{{me ^ 1, me, me ^ 1, 1}};
  const auto pair_at = [&](int places) { return (me / 2 * 2 + 2 * places + size) % size; };
  int leaving = pair_at(0);
  for (int round = 1; round < size / 2; ++round) {
    const bool outward = round % 2 == 1;
    const int peer = outward ? (me + direction + size) % size : me ^ 1;
    const int arriving = pair_at(outward ? direction * (round + 1) / 2 : -direction * round / 2);
    rounds.push_back({peer, leaving, arriving, 2});
    leaving = arriving;
  }
  return rounds;
}

}  // namespace stretto
