// What Stretto makes of a collective call: arguments -> selection -> schedule -> engine.
#pragma once

#include <vector>

#include "engine/engine.hpp"
#include "mpi/call.hpp"
#include "selection/selection.hpp"

namespace stretto {

// The ranks a schedule is for. On an intercommunicator many collectives are another one's on
// an intracommunicator of some of the ranks (docs/decisions/0010-two-groups.md).
struct Scope {
  Collective collective{};
  Rank me = 0;
  int size = 1;
  Rank root = 0;
  int first_group = 0;
  std::vector<Rank> ranks{};  // of the channel, by the schedule's; empty: the same
  bool idle = false;          // this rank has no part in it
};

struct Decision {
  Communicator* comm = nullptr;
  Choice choice;            // no algorithm: the call is the MPI's
  int error = MPI_SUCCESS;  // Reason::invalid_arguments: the error's class
  Scope scope;
  Shape shape;

  [[nodiscard]] bool is_native() const { return choice.algorithm == nullptr; }
};

// Why a call goes to the MPI where that is known before its arguments are read;
// otherwise Reason::none, and decide() has to.
[[nodiscard]] inline Reason always_native(Collective collective, Form form,
                                          const Communicator* comm) {
  if (comm == nullptr) return Reason::not_attached;
  return comm->always_native[static_cast<std::size_t>(form)][static_cast<std::size_t>(collective)];
}

// The same on all ranks of call.comm, unless their arguments are wrong; of an alltoall with blocks
// of different sizes only whether it is the MPI's (see Query::bytes). Collective where one may
// hand over a GPU's memory (see device_buffers), so asked once a call. `learned`: an algorithm that
// runs it instead of what selection would choose.
[[nodiscard]] Decision decide(const Call& call, const Choice* learned = nullptr);

// What the engine runs.
[[nodiscard]] Task task_for(const Call& call, const Decision& decision);

// Begins it; see Engine::start for `handle` and who releases the operation.
Operation* begin(const Call& call, const Decision& decision, MPI_Request* handle = nullptr);

// Begins it and waits. Returns an MPI error code; the error handler was not called.
int run(const Call& call, const Decision& decision);

// Calls the communicator's error handler if there is an error, and returns it.
int report(MPI_Comm comm, int error);

}  // namespace stretto
