// Draws sequences, and makes them simpler on the way to a minimal reproducer.
#pragma once

#include <optional>
#include <set>
#include <vector>

#include "action.hpp"

namespace differential {

// What is left of a sequence as it was drawn.
struct Simpler {
  std::optional<std::set<Id>> keep;  // only these actions, and of these what still can be done
  int most_count = 1 << 30;
  bool plain = false;            // all data MPI_INT, reduced by MPI_SUM
  bool prompt = false;           // nobody is late
  int most_communicators = 500;  // alive at once
  bool in_turn = false;          // all complete by MPI_Wait, in the order they were started
};

// Depends on its arguments alone. Every action draws from a generator of its own, so that
// nothing else changes when one is left out.
std::vector<Action> draw_sequence(Seed seed, int index, const Simpler& simpler);

}  // namespace differential
