// The algorithms that MPICH and Open MPI run where nobody tunes them, as far as Stretto has them.
#pragma once

#include "selection/fastest.hpp"

namespace stretto::tool {

[[nodiscard]] Choice classic(const Query& query);

}  // namespace stretto::tool
