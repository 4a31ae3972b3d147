// What Stretto keeps for each communicator of the program: a channel of its own for
// messages, the topology of its ranks, and the tags both ends of a pair count alike.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <vector>

#include "engine/plan.hpp"
#include "selection/selection.hpp"
#include "topology/topology.hpp"
#include "transport/mpi/native.hpp"

namespace stretto {

// The tags are guarded by the engine's lock; the rest does not change once it is attached,
// but for what is atomic and `orphaned`, which the registry guards.
struct Communicator {
  MPI_Comm user{};     // the program's
  MPI_Comm channel{};  // the same ranks; carries only Stretto's messages. One rank: MPI_COMM_SELF
  Rank rank = 0;
  int size = 1;
  Topology topology;
  Surroundings around;
  // See selection's always_native: [nonblocking][collective].
  std::array<std::array<Reason, kCollectives>, 2> always_native{};
  // Tag of the next message to and from each rank. Both ends advance theirs by what the
  // schedule exchanges between them, so they agree without a word.
  std::vector<std::uint32_t> next_send_tag;
  std::vector<std::uint32_t> next_recv_tag;
  std::atomic<int> operations{0};  // running on it
  bool orphaned = false;           // the program freed `user`

  // MPI guarantees tags up to 32767. They come round only after as many messages
  // between one pair of ranks, long after the first was received.
  static constexpr std::uint32_t kTagMask = 0x7fff;

  void advance_tags(const Plan& plan);
};

// The communicators Stretto knows. Thread-safe.
namespace communicators {

// MPI_COMM_WORLD will be attached first of all, on every rank: then most other communicators
// need not exchange anything.
void expect_world();

// Collective over `comm`, which must be an intracommunicator Stretto does not know
// yet. False where the MPI gives no channel: then the communicator stays unknown, on
// all its ranks alike. Cheaper once MPI_COMM_WORLD is attached.
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
