// What Stretto keeps for each communicator of the program: its ranks on the channel that carries
// Stretto's messages, the tags they use there, and what is known of their hosts. What grows with
// the number of ranks is four bytes each, and nothing where they are those of MPI_COMM_WORLD; and
// some 200 bytes for each rank that messages have been exchanged with (see TagRange). What is known
// of its ranks' hosts is the channel's, up to six bytes a rank.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/rank_context.hpp"
#include "engine/channel.hpp"
#include "engine/learned_calls.hpp"
#include "engine/ready_calls.hpp"
#include "engine/routes.hpp"
#include "engine/tags.hpp"
#include "engine/world.hpp"
#include "mpi/comm_attributes.hpp"
#include "mpi/native.hpp"
#include "mpi/plain_types.hpp"
#include "selection/selection.hpp"
#include "transport/shm/root_sends.hpp"
#include "transport/shm/shared_blocks.hpp"

namespace stretto {

// Where the groups of an intercommunicator begin among the ranks of both.
struct Groups {
  Rank local = 0;
  int local_size = 0;
  Rank remote = 0;
  int remote_size = 0;  // 0: an intracommunicator
};

// The tags are guarded by the engine's lock; the rest does not change once it is attached,
// but for what is atomic, the slots and `orphaned`, which the registry guards.
struct Communicator {
  MPI_Comm user{};                   // the program's
  std::shared_ptr<Channel> channel;  // none of one rank alone
  int id = 0;                        // the context id there
  Routes routes;
  Rank rank = 0;  // of an intercommunicator among those of both groups
  int size = 1;   // likewise
  Groups groups;
  // Once it is asked for; of all the channel's ranks in its order it is the channel's.
  std::shared_ptr<const Layout> layout;
  std::shared_ptr<const Graph> graph;  // of this rank's neighbours; none without a topology
  Surroundings around;
  // See selection's always_native: [form][collective]; none where blocking calls may be learned
  // from, which are by their arguments.
  std::array<std::array<Reason, kCollectives>, kForms> always_native{};
  std::array<bool, kCollectives> learns{};
  // Of a blocking call: the same where nothing is learned from it.
  std::array<Reason, kCollectives> native_unlearned{};
  std::unique_ptr<LearnedCalls> learned;  // from the first call that may be learned from
  std::unique_ptr<ReadyCalls> ready;      // from the first nonblocking call that Stretto runs
  // Of few ranks of one host, as long as there are any left.
  std::unique_ptr<shm::SharedBlocks> shared_blocks;
  std::unique_ptr<shm::RootSends> root_sends;  // likewise
  // The blocking collectives in which the root says by these what comes: the algorithm that this
  // is, or nullptr.
  std::array<const Algorithm*, kCollectives> by_root{};
  PlainTypes plain_types;  // of those
  TagRange tags;
  std::optional<PersistentSlots> slots;  // none of one rank alone
  std::atomic<int> operations{0};        // running on it, and persistent ones
  bool orphaned = false;                 // the program freed `user`

  [[nodiscard]] bool is_inter() const { return groups.remote_size > 0; }
};

// The communicators Stretto knows. Thread-safe.
namespace communicators {

// MPI_COMM_WORLD will be attached first of all, on every rank: then its channel serves all others.
void expect_world();

// Collective over `comm`, which Stretto must not know yet. False where it holds ranks
// outside of an expected MPI_COMM_WORLD (they need not run Stretto), or where no context id or no
// channel is left for it: then the communicator stays unknown, on all its ranks alike. `parent`:
// the one that it was made of, where Stretto knows that and so its ranks; whether it does is the
// same on all of them, and these are not looked up again.
bool attach(MPI_Comm comm, const Communicator* parent = nullptr);

// The layout of those of its ranks that a schedule is for, in the schedule's order, or, where none
// are named, of all, which is kept from when it is first asked for. All ranks know the same; of
// one alone there is none (nullptr).
[[nodiscard]] std::shared_ptr<const Layout> layout_of(Communicator& comm,
                                                      const std::vector<Rank>& ranks);

// From now on communicators may hold ranks of another MPI_COMM_WORLD: this rank was spawned, has
// taken part in MPI_Comm_spawn or its kind, or has met such a rank by MPI_Intercomm_create. Each
// new one that was made of none that Stretto knows is checked then.
void expect_foreign_ranks();
[[nodiscard]] bool expects_foreign_ranks();

// Of MPI_COMM_WORLD, once it is attached.
[[nodiscard]] const Hosts& world_hosts();

// A tag for a persistent operation on `comm`, until nobody holds it any more. nullptr where there
// is none, on all ranks alike. The ranks ask in the same order; collective over `comm` where all
// tags were in use once, local until then.
[[nodiscard]] std::shared_ptr<TagRange> persistent_tag(Communicator& comm);

namespace detail {
struct Attributes : CommAttributes {
  Attributes();
};
}  // namespace detail

// nullptr where it was not attached.
[[nodiscard, gnu::always_inline]] inline Communicator* find(MPI_Comm comm) {
  return static_cast<Communicator*>(of_rank<detail::Attributes>().find(comm));
}

// Frees the channels of communicators the program freed and on which nothing runs any
// more. To be called outside of MPI's callbacks.
void reap();

// Before MPI_Finalize: frees what belongs to MPI_COMM_WORLD and MPI_COMM_SELF.
void finish();

}  // namespace communicators
}  // namespace stretto
