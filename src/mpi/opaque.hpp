// Handles of the MPI's as layers pass them on that know no MPI.
#pragma once

#include <cstring>

#include "mpi/native.hpp"
#include "transport/piece.hpp"

namespace stretto {

template <class Handle>
[[nodiscard]] Opaque opaque(Handle handle) {
  static_assert(sizeof(Handle) <= sizeof(Opaque::bits));
  Opaque result;
  std::memcpy(&result.bits, &handle, sizeof handle);
  return result;
}

[[nodiscard]] inline MPI_Datatype type_of(Opaque handle) {
  MPI_Datatype type{};
  std::memcpy(&type, &handle.bits, sizeof type);
  return type;
}

[[nodiscard]] inline MPI_Comm comm_of(Opaque handle) {
  MPI_Comm comm{};
  std::memcpy(&comm, &handle.bits, sizeof comm);
  return comm;
}

}  // namespace stretto
