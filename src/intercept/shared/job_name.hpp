// What the ranks of one job have in common, and those of others that one launch starts have not.
#pragma once

#include <string>

namespace stretto::intercept {

// One word that all ranks of MPI_COMM_WORLD find; "-" where the launcher says nothing of the kind.
[[nodiscard]] std::string job_name();

}  // namespace stretto::intercept
