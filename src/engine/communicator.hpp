// What Stretto keeps for each communicator of the program: a channel of its own for
// messages, the topology of its ranks, and the tags both ends of a pair count alike.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "engine/plan.hpp"
#include "topology/topology.hpp"
#include "transport/mpi/native.hpp"

namespace stretto {

// Guarded by the engine's lock once it is attached.
struct Communicator {
  MPI_Comm user{};     // the program's
  MPI_Comm channel{};  // the same ranks; carries only Stretto's messages. One rank: MPI_COMM_SELF
  Rank rank = 0;
  int size = 1;
  Topology topology;
  bool shares_cores = false;  // with more ranks than there are cores, its own or others
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

// Collective over `comm`, which must be an intracommunicator Stretto does not know
// yet. False where the MPI gives no channel: then the communicator stays unknown, on
// all its ranks alike. Cheaper once MPI_COMM_WORLD is attached.
bool attach(MPI_Comm comm);

// nullptr where it was not attached.
[[nodiscard]] Communicator* find(MPI_Comm comm);

// Frees the channels of communicators the program freed and on which nothing runs any
// more. To be called outside of MPI's callbacks.
void reap();

// Before MPI_Finalize: frees what belongs to MPI_COMM_WORLD and MPI_COMM_SELF.
void finish();

}  // namespace communicators
}  // namespace stretto
