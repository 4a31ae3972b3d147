// What an algorithm file offers to the rest of the house.
//
// src/collectives/<collective>/<name>.cpp defines
//   extern const Algorithm stretto::<collective>_<name>;
// and nothing else has to be edited: the build lists the files and writes the
// table that `algorithms()` returns.
#pragma once

#include <climits>
#include <cstdint>
#include <span>
#include <string_view>

#include "schedule/schedule.hpp"
#include "topology/layout.hpp"

namespace stretto {

class Network;

struct Algorithm {
  Collective collective{};
  std::string_view name;  // = the file's name = the name users type
  // `layout` is looked at only by who `uses_layout`; others may be given any.
  Schedule (*build)(const Shape& shape, const Layout& layout, Rank me) = nullptr;
  // About what the simulator says it takes, in ns, where an element is a byte: what selection
  // compares. Not called for two groups or neighbours, which have one algorithm each.
  double (*time)(const Shape& shape, const Network& network) = nullptr;
  bool keeps_rank_order = true;  // false: for commutative operations only
  bool uses_segment = false;     // pipelined by Shape::segment
  bool uses_radix = false;       // tree fan-out from Shape::radix
  bool single_blocks = false;    // names one rank's block at a time: they may differ in size
  bool divides = false;          // gives each rank a part of the vector to reduce
  bool two_groups = false;       // for intercommunicators: Shape::first_group
  bool uses_layout = false;      // depends on who shares a host with whom
  // All that a rank sends is its own, and what it gets it passes on to nobody: ranks that share
  // memory may read short blocks where they were written.
  bool in_one_round = false;
  bool on_one_host = false;  // made for that, and elsewhere no candidate
  // Among more the messages a rank has in flight at a time, or its steps, are too many.
  int most_ranks = INT_MAX;
  // Of more bytes in all of a rank's blocks, its scratch, several times that, is too large.
  Count most_bytes = INT64_MAX;
};

// All of them, ordered by collective, then name.
[[nodiscard]] std::span<const Algorithm* const> algorithms();

// nullptr where there is none of that name.
[[nodiscard]] const Algorithm* find_algorithm(Collective collective, std::string_view name);

}  // namespace stretto
