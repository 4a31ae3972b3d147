// Runs of blocks that double round by round until all ranks have all, where blocks may differ in
// length and a rank may have more than its own to begin with.
#pragma once

#include <algorithm>
#include <bit>
#include <vector>

#include "patterns/dissemination.hpp"
#include "patterns/exchange.hpp"
#include "schedule/builder.hpp"

namespace stretto {

// What this is to be done with is here when `done` are; what is received may be written after
// `free`.
struct BlocksHere {
  std::vector<StepId> done;
  StepId free = kNoStep;
};

// Across the dimensions of a hypercube; `size` is a power of two.
template <class Has, class Blocks>
void runs_to_all_by_swaps(Builder& step, int size, int me, const Has& has, const Blocks& blocks,
                          BlocksHere& here) {
  const auto lacks = [&](int rank, int first, int number) {
    return first < rank || first + number > rank + has(rank);
  };
  for (const Exchange& round : doubling_rounds(size, me)) {
    if (lacks(round.peer, round.leaving, round.blocks)) {
      step.send(round.peer, blocks(round.leaving, round.blocks), after(here.done));
    }
    if (lacks(me, round.arriving, round.blocks)) {
      const Region theirs = blocks(round.arriving, round.blocks);
      here.done.push_back(step.recv(round.peer, theirs, after(here.free)));
    }
  }
}

// Round the circle, by Bruck's distances: whatever `size` is, for another message where a run goes
// round the end.
template <class Has, class Blocks>
void runs_to_all_round_the_circle(Builder& step, int size, int me, const Has& has,
                                  const Blocks& blocks, BlocksHere& here) {
  // Those that come to a rank in the round from the one that is so far ahead, but for what it has.
  const auto for_missing = [&](int rank, int distance, const auto& each) {
    const int begin = std::max(distance, has(rank)) + rank;
    const int end = std::min(2 * distance, size) + rank;
    if (begin >= end) return;
    if (end <= size || begin >= size) return each(begin % size, end - begin);
    each(begin, size - begin);
    each(0, end - size);
  };
  for (const auto& round : dissemination_rounds(size, me)) {
    for_missing(round.behind, round.distance, [&](int first, int number) {
      step.send(round.behind, blocks(first, number), after(here.done));
    });
    for_missing(me, round.distance, [&](int first, int number) {
      here.done.push_back(step.recv(round.ahead, blocks(first, number), after(here.free)));
    });
  }
}

// `has(rank)` is how many blocks a rank has, from its own on; `blocks(first, number)` where some
// are.
template <class Has, class Blocks>
void runs_to_all(Builder& step, int size, int me, const Has& has, const Blocks& blocks,
                 BlocksHere& here) {
  if (std::has_single_bit(static_cast<unsigned>(size))) {
    runs_to_all_by_swaps(step, size, me, has, blocks, here);
  } else {
    runs_to_all_round_the_circle(step, size, me, has, blocks, here);
  }
}

}  // namespace stretto
