// Rules that say which algorithm runs a call of which length among how many ranks.
#pragma once

#include <climits>
#include <span>

#include "selection/selection.hpp"

namespace stretto {

// The first rule whose limits hold decides. Sizes are Query::bytes.
struct Rule {
  Count most_bytes = INT64_MAX;
  int fewest_ranks = 2;
  int most_ranks = INT_MAX;
  bool any_order = true;   // false: only for commutative operations
  bool any_number = true;  // false: only for a power of two of ranks
  bool any_form = true;    // false: only for blocking calls
  const char* algorithm = nullptr;
  Count segment_bytes = 0;
  int radix = 2;
};

// No algorithm where no rule holds.
[[nodiscard]] Choice by_rules(std::span<const Rule> rules, const Query& query, Basis basis);

}  // namespace stretto
