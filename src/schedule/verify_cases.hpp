// The shapes an algorithm is proven for.
#pragma once

#include <vector>

#include "schedule/shape.hpp"
#include "topology/layout.hpp"

namespace stretto {

// What an algorithm claims to handle; `collectives/algorithm.hpp` says which does.
struct Claims {
  Collective collective{};
  bool keeps_rank_order = true;
  bool uses_segment = false;
  bool uses_radix = false;
  bool two_groups = false;
  bool uses_layout = false;
};

// 1..64, 127, 128 and 129, as far as `max_size` lets.
[[nodiscard]] std::vector<int> sizes_to_prove(int max_size);

// On communicators of `size`: every root (above 64 ranks the first two, the middle
// and the last two), vectors empty, of one element, shorter than the communicator
// and uneven, segmented or not, in place or not, commutative or not; for intercommunicators
// groups of one rank, of half and of all but one; for neighbourhoods the graphs of
// graphs_to_prove.
[[nodiscard]] std::vector<Shape> shapes_to_prove(const Claims& claims, int size);

// Each shape is to be proven for each of these: one that says nothing alone for who does not use
// it; else also all on one host, each on its own, hosts alike and hosts that differ, with ranks in
// order, dealt round them and shuffled, and with levels within hosts and beyond.
[[nodiscard]] std::vector<Layout> layouts_to_prove(const Claims& claims, int size);

}  // namespace stretto
