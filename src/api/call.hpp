// A collective call as MPI describes it, and what Stretto makes of it:
// arguments -> selection -> schedule -> engine.
#pragma once

#include "engine/engine.hpp"
#include "selection/selection.hpp"

namespace stretto {

// Arguments that a collective does not have keep their defaults. Those of one buffer
// (bcast) or of one count and type (reductions) use the recv ones. Gatherv and its kind are
// gathers and so on that give counts and displacements, one a rank: in extents of the type,
// or, with a type a rank (alltoallw), in bytes.
struct Call {
  Collective collective{};
  bool nonblocking = false;
  bool uneven = false;  // gatherv and its kind; of reductions MPI_Reduce_scatter
  const void* sendbuf = nullptr;
  Count sendcount = 0;
  const int* sendcounts = nullptr;
  const int* senddispls = nullptr;
  MPI_Datatype sendtype{};
  const MPI_Datatype* sendtypes = nullptr;
  void* recvbuf = nullptr;
  Count recvcount = 0;
  const int* recvcounts = nullptr;
  const int* recvdispls = nullptr;
  MPI_Datatype recvtype{};
  const MPI_Datatype* recvtypes = nullptr;
  MPI_Op op{};
  int root = 0;
  MPI_Comm comm{};
};

struct Decision {
  Communicator* comm = nullptr;
  Choice choice;  // no algorithm: the call is the MPI's
  Shape shape;

  [[nodiscard]] bool is_native() const { return choice.algorithm == nullptr; }
};

// Why a call goes to the MPI where that is known before its arguments are looked at;
// otherwise Reason::none, and decide() has to.
[[nodiscard]] inline Reason always_native(Collective collective, bool nonblocking, MPI_Comm comm) {
  const Communicator* known = communicators::find(comm);
  if (known == nullptr) return Reason::not_attached;
  return known->always_native[nonblocking ? 1 : 0][static_cast<std::size_t>(collective)];
}

// The same on all ranks of call.comm, unless their arguments are wrong.
[[nodiscard]] Decision decide(const Call& call);

// Begins it; see Engine::start for `handle` and who releases the operation.
Operation* begin(const Call& call, const Decision& decision, MPI_Request* handle = nullptr);

// Begins it and waits. Returns an MPI error code; the error handler was not called.
int run(const Call& call, const Decision& decision);

// Calls the communicator's error handler if there is an error, and returns it.
int report(MPI_Comm comm, int error);

}  // namespace stretto
