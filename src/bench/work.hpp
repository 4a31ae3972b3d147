// What a rank does to data itself.
#pragma once

#include <cstdint>
#include <vector>

#include "bench/samples.hpp"

namespace stretto::bench {

struct WorkTime {
  std::int64_t bytes = 0;
  Sample copy;    // memcpy
  Sample reduce;  // MPI_Reduce_local of doubles by MPI_SUM
};

[[nodiscard]] std::vector<WorkTime> measure_work();

// The first touch of a page of memory.
[[nodiscard]] Sample measure_page_fault();

}  // namespace stretto::bench
