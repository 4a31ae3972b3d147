// How fast the machine is now.
#pragma once

#include <optional>

#include "mpi/native.hpp"

namespace stretto::bench {

inline constexpr int kPaceBytes = 8;

// Called by all ranks of `comm`: what it takes rank 2k and 2k + 1 to exchange kPaceBytes bytes, in
// ns, on both of them; nothing on a last rank without a neighbour, and where ranks wait for cores.
// Takes 2 ms at most, but for the slowest of exchanges.
[[nodiscard]] std::optional<double> exchange_with_neighbor(MPI_Comm comm);

}  // namespace stretto::bench
