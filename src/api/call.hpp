// A collective call as MPI describes it, and what Stretto makes of it:
// arguments -> selection -> schedule -> engine.
#pragma once

#include <cstring>
#include <numeric>

#include "engine/engine.hpp"
#include "selection/selection.hpp"

namespace stretto {

// An array of counts or displacements: int, or in large-count forms MPI_Count or MPI_Aint.
class Numbers {
 public:
  Numbers() = default;
  template <class Number>
  Numbers(const Number* first) : first_(first), bytes_(sizeof(Number)) {
    static_assert(sizeof(Number) == sizeof(int) || sizeof(Number) == sizeof(Count));
  }

  explicit operator bool() const { return first_ != nullptr; }
  Count operator[](std::size_t i) const {
    if (bytes_ == sizeof(int)) return static_cast<const int*>(first_)[i];
    Count number = 0;  // MPI_Aint and MPI_Count may be different types of one size
    std::memcpy(&number, static_cast<const std::byte*>(first_) + i * bytes_, sizeof number);
    return number;
  }

 private:
  const void* first_ = nullptr;
  std::size_t bytes_ = sizeof(int);
};

// Arguments that a collective does not have keep their defaults. Those of one buffer
// (bcast) or of one count and type (reductions) use the recv ones. Gatherv and its kind are
// gathers and so on that give counts and displacements, one a rank or neighbour: in extents
// of the type, or, with a type each (alltoallw), in bytes.
struct Call {
  Collective collective{};
  Form form = Form::blocking;
  bool uneven = false;  // gatherv and its kind; of reductions MPI_Reduce_scatter
  const void* sendbuf = nullptr;
  Count sendcount = 0;
  Numbers sendcounts{};
  Numbers senddispls{};
  MPI_Datatype sendtype{};
  const MPI_Datatype* sendtypes = nullptr;
  void* recvbuf = nullptr;
  Count recvcount = 0;
  Numbers recvcounts{};
  Numbers recvdispls{};
  MPI_Datatype recvtype{};
  const MPI_Datatype* recvtypes = nullptr;
  MPI_Op op{};
  int root = 0;
  MPI_Comm comm{};
};

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

// Why a call goes to the MPI where that is known before its arguments are looked at;
// otherwise Reason::none, and decide() has to.
[[nodiscard]] inline Reason always_native(Collective collective, Form form, MPI_Comm comm) {
  const Communicator* known = communicators::find(comm);
  if (known == nullptr) return Reason::not_attached;
  return known->always_native[static_cast<std::size_t>(form)][static_cast<std::size_t>(collective)];
}

// The same on all ranks of call.comm, unless their arguments are wrong; of an alltoall with blocks
// of different sizes only whether it is the MPI's (see Query::bytes). Collective where one may
// hand over a GPU's memory (see device_buffers), so asked once a call.
[[nodiscard]] Decision decide(const Call& call);

// What the engine runs.
[[nodiscard]] Task task_for(const Call& call, const Decision& decision);

// Begins it; see Engine::start for `handle` and who releases the operation.
Operation* begin(const Call& call, const Decision& decision, MPI_Request* handle = nullptr);

// Begins it and waits. Returns an MPI error code; the error handler was not called.
int run(const Call& call, const Decision& decision);

// Calls the communicator's error handler if there is an error, and returns it.
int report(MPI_Comm comm, int error);

}  // namespace stretto
