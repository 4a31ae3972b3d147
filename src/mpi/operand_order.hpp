#pragma once

#include "mpi/native.hpp"

namespace stretto {

// May the result of a reduction differ in its last bits, or more, with the order in which operands
// of no more than `ranks` are combined? So it is where numbers are rounded, and with operations of
// the program's. Which of several NaN comes out does not count, and whether a maximum is one.
// Either handle may be null.
[[nodiscard]] bool depends_on_order(MPI_Op op, MPI_Datatype type, int ranks);

}  // namespace stretto
