// The algorithms that MPICH and Open MPI run where nobody tunes them, as far as Stretto has them.
#pragma once

#include "selection/selection.hpp"

namespace stretto {

[[nodiscard]] Choice classic(const Query& query);

}  // namespace stretto
