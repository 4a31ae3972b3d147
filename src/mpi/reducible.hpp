#pragma once

#include "mpi/native.hpp"

namespace stretto {

// Is `op` defined for elements of `type`, neither of them null? If not, the MPI says so best,
// and before any message.
[[nodiscard]] bool reducible(MPI_Op op, MPI_Datatype type);

}  // namespace stretto
