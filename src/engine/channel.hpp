// The communicator that Stretto's messages travel on, which carries nothing else.
//
// Under the drop-in there is one, of MPI_COMM_WORLD's ranks, for all communicators of the program:
// none of the contexts that an MPI has for communicators (MPICH: 2,048) is taken from it. Where
// only some ranks may have called Stretto (stretto.h) a communicator has one of its own.
#pragma once

#include <memory>

#include "engine/tags.hpp"
#include "transport/mpi/native.hpp"

namespace stretto {

// One of the ranks of `of`, an intracommunicator, on which errors are returned. Collective.
// MPI_COMM_NULL where the MPI gives none.
[[nodiscard]] MPI_Comm communicator_like(MPI_Comm of);

struct Channel {
  MPI_Comm comm{};
  TagLayout tags;
  ContextIds ids;

  // Of the ranks of `of`, an intracommunicator. Collective. nullptr where the MPI gives none.
  [[nodiscard]] static std::shared_ptr<Channel> make(MPI_Comm of);
  // Collective; nothing is under way on it.
  void free();
};

}  // namespace stretto
