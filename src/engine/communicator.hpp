// What Stretto keeps for each communicator of the program: a channel of its own for
// messages, the topology of its ranks, and the tags both ends of a pair count alike.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "engine/tags.hpp"
#include "selection/selection.hpp"
#include "topology/topology.hpp"
#include "transport/mpi/native.hpp"

namespace stretto {

// Where the groups of an intercommunicator begin among the channel's ranks.
struct Groups {
  Rank local = 0;
  int local_size = 0;
  Rank remote = 0;
  int remote_size = 0;  // 0: an intracommunicator
};

// The tags are guarded by the engine's lock; the rest does not change once it is attached,
// but for what is atomic and `orphaned`, which the registry guards.
struct Communicator {
  MPI_Comm user{};  // the program's
  // The same ranks, of an intercommunicator both groups'; carries only Stretto's messages.
  MPI_Comm channel{};
  Rank rank = 0;  // in the channel
  int size = 1;   // of the channel
  Groups groups;
  std::shared_ptr<const Graph> graph;  // of this rank's neighbours; none without a topology
  Topology topology;
  Surroundings around;
  // See selection's always_native: [form][collective].
  std::array<std::array<Reason, kCollectives>, kForms> always_native{};
  Tags tags{0};
  std::atomic<int> operations{0};  // running on it, and persistent ones
  bool orphaned = false;           // the program freed `user`

  [[nodiscard]] bool is_inter() const { return groups.remote_size > 0; }
};

// The communicators Stretto knows. Thread-safe.
namespace communicators {

// MPI_COMM_WORLD will be attached first of all, on every rank: then most other communicators
// need not exchange anything.
void expect_world();

// Collective over `comm`, which Stretto must not know yet. False where it holds ranks
// outside of an expected MPI_COMM_WORLD (they need not run Stretto), or where the MPI gives no
// channel: then the communicator stays unknown, on all its ranks alike. Cheaper once MPI_COMM_WORLD
// is attached.
bool attach(MPI_Comm comm);

namespace detail {
// Changes whenever a handle may have come to mean something else.
inline std::atomic<unsigned> generation{1};
// What this thread asked for last.
struct Last {
  unsigned generation = 0;
  MPI_Comm comm{};
  Communicator* known = nullptr;
};
inline constinit thread_local Last last [[gnu::tls_model("initial-exec")]];
Communicator* look_up(MPI_Comm comm);
}  // namespace detail

// nullptr where it was not attached. Most calls ask for the communicator of the call
// before; the MPI's own look-up would add a tenth to its fastest collective.
[[nodiscard]] inline Communicator* find(MPI_Comm comm) {
  const detail::Last& last = detail::last;
  const unsigned now = detail::generation.load(std::memory_order_acquire);
  if (last.generation == now && last.comm == comm) return last.known;
  return detail::look_up(comm);
}

// Frees the channels of communicators the program freed and on which nothing runs any
// more. To be called outside of MPI's callbacks.
void reap();

// Before MPI_Finalize: frees what belongs to MPI_COMM_WORLD and MPI_COMM_SELF.
void finish();

}  // namespace communicators
}  // namespace stretto
