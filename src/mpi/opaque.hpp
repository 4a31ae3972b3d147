// Handles of the MPI's as layers pass them on that know no MPI.
#pragma once

#include <type_traits>

#include "mpi/native.hpp"
#include "transport/piece.hpp"

namespace stretto {

// A handle is a pointer in Open MPI's ABI and the MPI 5.0 one, an int in MPICH's.
template <class Handle>
[[nodiscard]] Opaque opaque(Handle handle) {
  if constexpr (std::is_pointer_v<Handle>) {
    return {reinterpret_cast<std::uintptr_t>(handle)};
  } else {
    return {static_cast<std::uintptr_t>(static_cast<std::make_unsigned_t<Handle>>(handle))};
  }
}

template <class Handle>
[[nodiscard]] Handle handle_of(Opaque opaque) {
  if constexpr (std::is_pointer_v<Handle>) {
    return reinterpret_cast<Handle>(opaque.bits);  // NOLINT(performance-no-int-to-ptr): it was one
  } else {
    return static_cast<Handle>(opaque.bits);
  }
}

[[nodiscard]] inline MPI_Datatype type_of(Opaque opaque) { return handle_of<MPI_Datatype>(opaque); }
[[nodiscard]] inline MPI_Comm comm_of(Opaque opaque) { return handle_of<MPI_Comm>(opaque); }

}  // namespace stretto
