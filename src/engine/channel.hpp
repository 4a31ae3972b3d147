// The communicator that Stretto's messages travel on, which carries nothing else.
//
// In mode accelerate there is one, of MPI_COMM_WORLD's ranks, for all communicators of the program:
// none of the contexts that an MPI has for communicators (MPICH: 2,048) is taken from it. Where
// only some ranks may have called Stretto (stretto.h) a communicator has one of its own.
#pragma once

#include <memory>
#include <vector>

#include "engine/routes.hpp"
#include "engine/tags.hpp"
#include "engine/transports.hpp"
#include "engine/world.hpp"
#include "mpi/native.hpp"
#include "transport/shm/shared_blocks.hpp"

namespace stretto {

struct Channel {
  MPI_Comm comm{};
  TagLayout tags;
  ContextIds ids;
  std::vector<Carrier> carriers{};         // of its messages
  Hosts hosts{};                           // of its ranks
  std::shared_ptr<const Layout> layout{};  // likewise, once it is asked for
  shm::BlockSets block_sets{};             // of this rank's, for communicators on it

  // Of the ranks of `of`, an intracommunicator. Collective. nullptr where the MPI gives none.
  [[nodiscard]] static std::shared_ptr<Channel> make(MPI_Comm of, const Transports& transports);
  // Collective; nothing is under way on it.
  void free();
};

}  // namespace stretto
