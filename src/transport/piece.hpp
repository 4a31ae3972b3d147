// Data in memory, described for whoever moves it.
#pragma once

#include <cstdint>

#include "base/span.hpp"

namespace stretto {

// A handle of the MPI's (an int in one ABI, a pointer in another) as those pass it on who know no
// MPI; see mpi/opaque.hpp.
struct Opaque {
  std::uintptr_t bits = 0;
  friend bool operator==(const Opaque&, const Opaque&) = default;
};

struct Piece {
  void* address = nullptr;
  Count count = 0;     // elements of `type`
  Opaque type{};       // an MPI_Datatype
  Count bytes = 0;     // of data, gaps left out
  bool plain = false;  // memory order = packed order, no gaps: `bytes` bytes at `address`
};

}  // namespace stretto
