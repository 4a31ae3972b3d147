// How the ranks' clocks relate.
#pragma once

#include <cstdint>

#include "mpi/native.hpp"

namespace stretto::intercept::profile {

// One sample of the offset to rank 0's clock, which all ranks of a communicator take together.
struct ClockSample {
  std::int64_t at = 0;      // this rank's clock, ns
  std::int64_t offset = 0;  // rank 0's minus this rank's
  std::int64_t error = 0;   // at most; 0 where both are on one machine and share the clock
};
[[nodiscard]] ClockSample sample_clocks(MPI_Comm comm);

}  // namespace stretto::intercept::profile
