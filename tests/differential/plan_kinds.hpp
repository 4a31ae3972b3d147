// Sequences that are of a kind each, among those that mix everything.
#pragma once

#include <optional>
#include <vector>

#include "action.hpp"

namespace differential {

// Nothing where the sequence of that index is a mixed one.
std::optional<std::vector<Action>> draw_kind(Seed seed, int index, int most_communicators);

}  // namespace differential
