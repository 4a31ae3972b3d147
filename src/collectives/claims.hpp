// What an algorithm must be proven for.
#pragma once

#include "collectives/algorithm.hpp"
#include "schedule/verify_cases.hpp"

namespace stretto {

[[nodiscard]] inline Claims claims_of(const Algorithm& algorithm) {
  return {.collective = algorithm.collective,
          .keeps_rank_order = algorithm.keeps_rank_order,
          .uses_segment = algorithm.uses_segment,
          .uses_radix = algorithm.uses_radix,
          .two_groups = algorithm.two_groups,
          .uses_layout = algorithm.uses_layout};
}

}  // namespace stretto
