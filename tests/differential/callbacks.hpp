// Functions of the program's that MPI calls, and that call MPI in turn.
#pragma once

#include <mpi.h>

#include "random.hpp"

namespace differential {

// From now on they do, and MPI_COMM_WORLD and derived datatypes have attributes that are copied
// and deleted by such functions.
void let_callbacks_call();

// Before MPI_Finalize, which would delete what is left.
void end_callbacks();

// What an operation may do while it reduces: all but communicate (MPI 4.1, 6.9.5). Nothing
// unless callbacks call.
void call_as_an_operation(MPI_Datatype type);

// Gives a datatype the attribute.
void mark(MPI_Datatype type);

// How often attributes were copied and deleted since it was asked last. Complete once nothing is
// pending: an MPI may keep a datatype for as long as it is used.
Seed callbacks_so_far();

}  // namespace differential
