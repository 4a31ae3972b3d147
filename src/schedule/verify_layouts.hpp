// Layouts: those that algorithms are proven for, and what they are made of.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "topology/layout.hpp"

namespace stretto {

enum class Placement : std::uint8_t { in_order, round_robin, shuffled };

// A level in words: groups of so many places each, one after the other; after the last of these
// sizes the first one comes again.
struct LevelSizes {
  std::string name;
  std::vector<int> sizes;
};

// From the innermost level to the outermost, whose groups ranks are dealt round for round_robin;
// shuffled with a number to begin from.
[[nodiscard]] Layout layout_of_places(const std::vector<LevelSizes>& levels, int ranks,
                                      Placement placement, unsigned seed = 1);

// See verify_cases.hpp.
[[nodiscard]] std::vector<Layout> layouts_to_prove(int ranks);

}  // namespace stretto
