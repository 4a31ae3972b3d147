// How a datatype was made.
//
// One made with large counts (MPI_Type_vector_c) may not be asked about by the plain calls:
// that is an error, which by default ends the job. So MPI 4's are taken where the MPI has them.
#pragma once

#include "mpi/native.hpp"

namespace stretto {

// MPI_COMBINER_NAMED, ...
[[nodiscard]] int combiner_of(MPI_Datatype type);

// The type that a MPI_COMBINER_DUP or MPI_COMBINER_CONTIGUOUS one was made of; the caller's to
// free where that is not predefined.
[[nodiscard]] MPI_Datatype inner_type_of(MPI_Datatype type);

}  // namespace stretto
