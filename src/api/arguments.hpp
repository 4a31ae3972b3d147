// What the arguments of a call mean on this rank.
#pragma once

#include "api/call.hpp"

namespace stretto {

// MPI_IN_PLACE stands where the rank's own data would be: in the send buffer, or for the
// root of a scatter in the receive buffer.
[[nodiscard]] inline bool is_in_place(const Call& call) {
  const void* where = call.collective == Collective::scatter ? call.recvbuf : call.sendbuf;
  return where == MPI_IN_PLACE;
}

// Is this rank the one `call.root` names? On an intercommunicator it says MPI_ROOT.
[[nodiscard]] bool is_root(const Call& call, const Communicator& comm);

// Of an intercommunicator's root group but not the root: has no part in the collective.
[[nodiscard]] bool is_bystander(const Call& call, const Communicator& comm);

// Which buffers this rank's data lie in. Bcast and reductions describe theirs as the recv one.
struct Used {
  bool send = false;
  bool recv = false;
};
[[nodiscard]] Used used_buffers(const Call& call, const Communicator& comm);

// How many blocks they have: one a rank, a rank of the other group or a neighbour.
struct BlockCounts {
  int send = 0;
  int recv = 0;
};
[[nodiscard]] BlockCounts blocks(const Call& call, const Communicator& comm);

// The side that describes one rank's block on this rank: the other one may be missing
// (not the root) or ignored (MPI_IN_PLACE).
struct Side {
  Count count = 0;
  MPI_Datatype type{};
};
[[nodiscard]] Side describing_side(const Call& call, bool is_root);

// Elements of a reduce-scatter's input.
[[nodiscard]] Count reduced_elements(const Call& call, const Communicator& comm);

// The class of the error the MPI would find in the arguments, or MPI_SUCCESS.
[[nodiscard]] int check(const Call& call, const Communicator& comm);

}  // namespace stretto
