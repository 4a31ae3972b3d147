// Communicators of Stretto's own.
#pragma once

#include "mpi/native.hpp"

namespace stretto {

// One of the ranks of `of`, an intracommunicator, on which errors are returned. Collective.
// MPI_COMM_NULL where the MPI gives none.
[[nodiscard]] MPI_Comm communicator_like(MPI_Comm of);

}  // namespace stretto
