// Adds vectors up with the result elsewhere, where MPI_Reduce_local (MPI 4.1, 6.9.7) has it in the
// place of an operand: whoever reads one of them from memory that another core has written need
// not read it twice.
#pragma once

#include <cstddef>

#include "mpi/native.hpp"
#include "schedule/shape.hpp"

namespace stretto {

// to = left + right, `bytes` of each. They may lie anywhere, and `to` where an operand does.
using Addition = void (*)(const std::byte* left, const std::byte* right, std::byte* to,
                          std::size_t bytes);

// Of elements of this type and so many bytes. nullptr: only the MPI can.
[[nodiscard]] Addition addition(MPI_Op op, MPI_Datatype type, Count element_bytes);

}  // namespace stretto
