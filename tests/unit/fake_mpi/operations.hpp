// Reductions of the fake MPI.
#pragma once

#include "fake_mpi/state.hpp"

namespace fake_mpi {

// MPI_ERR_OP where it is not defined for elements of that type.
[[nodiscard]] int check(const Op& op, const Type& type);

// inout[i] = in[i] op inout[i]. `handle` is what a function of the program's gets for the type.
void reduce(const Op& op, const void* in, void* inout, MPI_Count count, const Type& type,
            MPI_Datatype handle);

}  // namespace fake_mpi
