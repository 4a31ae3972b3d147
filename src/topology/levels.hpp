// How far ranks are from each other: the levels of their topology.
#pragma once

#include <vector>

#include "topology/topology.hpp"

namespace stretto {

// A level that two ranks at least are at.
struct TopologyLevel {
  const char* name = "";
  // The lowest two that no nearer level has together; first < second.
  int first = 0;
  int second = 0;
  int holds = 0;  // ranks, or groups of the level before, at most; 0 in the last: all
};

// Nearest first, of "core complex", "host" and "network" those that there are. A complex with one
// rank shows nothing of itself: where all are so the level is left out.
[[nodiscard]] std::vector<TopologyLevel> levels_of(const Topology& topology);

}  // namespace stretto
