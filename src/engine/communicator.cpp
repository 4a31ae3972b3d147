#include "engine/communicator.hpp"

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <numeric>

#include "engine/engine.hpp"
#include "engine/own_channel.hpp"
#include "engine/own_neighbors.hpp"
#include "transport/mpi/spared.hpp"

namespace stretto {

namespace communicators {
namespace {

// What one rank tells the others. They must all know the same of each other, as what they
// decide from it must be the same.
struct Peer {
  Place place;
  bool progress_thread = false;
  bool crowded = false;  // its MPI_COMM_WORLD has more ranks than cores
};

struct Registry {
  std::mutex mutex;
  std::atomic<int> keyval = MPI_KEYVAL_INVALID;
  bool expects_world = false;
  std::vector<Peer> world;  // of MPI_COMM_WORLD, once attached, where it is the first
  bool world_oversubscribed = false;
  std::vector<std::unique_ptr<Communicator>> known;
  std::atomic<bool> any_orphaned{false};
};

Registry& registry() {
  // Never destroyed: MPI's callbacks may come after static destructors have run.
  static auto* const instance = new Registry;
  return *instance;
}

// A copy of a communicator is another communicator: it is attached on its own.
int copy_nothing(MPI_Comm /*comm*/, int /*keyval*/, void* /*extra*/, void* /*in*/, void* /*out*/,
                 int* flag) {
  *flag = 0;
  return MPI_SUCCESS;
}

// The program frees the communicator. What runs on it goes on; `reap` does the rest,
// since a callback of the MPI's is no place to free another communicator.
int on_free(MPI_Comm /*comm*/, int /*keyval*/, void* value, void* /*extra*/) {
  const std::lock_guard lock(registry().mutex);
  static_cast<Communicator*>(value)->orphaned = true;
  registry().any_orphaned = true;
  ++detail::generation;
  return MPI_SUCCESS;
}

// Among ranks of a communicator without two groups.
std::vector<Peer> exchange(MPI_Comm comm, int size) {
  const Peer mine{Place::here(), Engine::get().has_progress_thread(),
                  registry().world_oversubscribed};
  std::vector<Peer> peers(static_cast<std::size_t>(size));
  native().Allgather(&mine, sizeof mine, native().byte, peers.data(), sizeof mine, native().byte,
                     comm);
  return peers;
}

// The group's ranks, known from MPI_COMM_WORLD's; empty where that was not attached first
// or a rank is of another world (MPI_Comm_spawn).
std::vector<Peer> peers_of(MPI_Group group, int size) {
  if (registry().world.empty()) return {};
  std::vector<int> ranks(static_cast<std::size_t>(size));
  std::vector<int> world_ranks(ranks.size());
  std::iota(ranks.begin(), ranks.end(), 0);
  MPI_Group world{};
  native().Comm_group(native().comm_world, &world);
  native().Group_translate_ranks(group, size, ranks.data(), world, world_ranks.data());
  native().Group_free(&world);

  std::vector<Peer> peers;
  for (const int rank : world_ranks) {
    if (rank == MPI_UNDEFINED) return {};
    peers.push_back(registry().world[static_cast<std::size_t>(rank)]);
  }
  return peers;
}

Topology topology_of(const std::vector<Peer>& peers) {
  std::vector<Place> places;
  places.reserve(peers.size());
  for (const Peer& peer : peers) places.push_back(peer.place);
  return Topology(places);
}

Surroundings surroundings(const Topology& topology, const std::vector<Peer>& peers) {
  const auto crowded = [](const Peer& peer) { return peer.crowded; };
  const auto has_thread = [](const Peer& peer) { return peer.progress_thread; };
  return {.hosts = topology.hosts(),
          // Its ranks may wait for cores that ranks outside of it are on.
          .oversubscribed =
              topology.oversubscribed() || std::any_of(peers.begin(), peers.end(), crowded),
          .progress_thread = std::all_of(peers.begin(), peers.end(), has_thread)};
}

// A communicator of the same ranks, or an error.
int make_channel(MPI_Comm comm, MPI_Group group, MPI_Comm* channel) {
  const Spared spared(comm);
  // Not MPI_Comm_dup: that would run the program's attribute copy callbacks.
  const int error = native().Comm_create(comm, group, channel);
  if (error == MPI_SUCCESS) native().Comm_set_errhandler(*channel, native().errors_return);
  return error;
}

int keyval() {
  const std::lock_guard lock(registry().mutex);
  int made = registry().keyval;
  if (made == MPI_KEYVAL_INVALID) {
    native().Comm_create_keyval(copy_nothing, on_free, &made, nullptr);
    registry().keyval = made;
  }
  return made;
}

auto always_native_table(const Communicator& comm) {
  decltype(comm.always_native) table{};
  for (const Form form : {Form::blocking, Form::nonblocking, Form::persistent}) {
    for (int c = 0; c < kCollectives; ++c) {
      const Query query{.collective = static_cast<Collective>(c), .size = comm.size, .form = form};
      table[static_cast<std::size_t>(form)][static_cast<std::size_t>(c)] =
          always_native(query, comm.around, overrides());
    }
  }
  return table;
}

void release(Communicator& known) {
  // Done already where a program under the drop-in calls stretto_finalize too.
  if (known.size == 1 || known.channel == native().comm_null) return;
  native().Comm_free(&known.channel);
}

// An intracommunicator of both groups, for the channel; a group's ranks stay together.
bool merge(MPI_Comm comm, Communicator& made) {
  Groups& groups = made.groups;
  native().Comm_size(comm, &groups.local_size);
  native().Comm_remote_size(comm, &groups.remote_size);
  const Spared spared(comm);
  if (native().Intercomm_merge(comm, 0, &made.channel) != MPI_SUCCESS) return false;
  native().Comm_set_errhandler(made.channel, native().errors_return);
  native().Comm_rank(made.channel, &made.rank);
  native().Comm_size(made.channel, &made.size);
  int local_rank = 0;
  native().Comm_rank(comm, &local_rank);
  groups.local = made.rank - local_rank;
  groups.remote = groups.local == 0 ? groups.local_size : 0;
  return true;
}

bool all_in_world(MPI_Comm comm) {
  MPI_Group local{};
  MPI_Group remote{};
  native().Comm_group(comm, &local);
  native().Comm_remote_group(comm, &remote);
  int size = 0;
  native().Comm_size(comm, &size);
  int remote_size = 0;
  native().Comm_remote_size(comm, &remote_size);
  const bool all = !peers_of(local, size).empty() && !peers_of(remote, remote_size).empty();
  native().Group_free(&local);
  native().Group_free(&remote);
  return all;
}

}  // namespace

void expect_world() { registry().expects_world = true; }

bool attach(MPI_Comm comm) {
  Registry& all = registry();
  auto made = std::make_unique<Communicator>();
  made->user = comm;
  int is_inter = 0;
  native().Comm_test_inter(comm, &is_inter);
  if (is_inter != 0) {
    // Who comes from another MPI_COMM_WORLD need not run Stretto.
    if (!all_in_world(comm) || !merge(comm, *made)) return false;
  } else {
    native().Comm_rank(comm, &made->rank);
    native().Comm_size(comm, &made->size);
  }
  MPI_Comm const ranks = is_inter != 0 ? made->channel : comm;
  MPI_Group group{};
  native().Comm_group(ranks, &group);
  std::vector<Peer> peers = peers_of(group, made->size);
  if (peers.empty() && !all.world.empty()) {
    native().Group_free(&group);
    return false;  // ranks of another MPI_COMM_WORLD, which need not run Stretto
  }
  if (peers.empty()) peers = exchange(ranks, made->size);
  made->topology = topology_of(peers);
  made->around = surroundings(made->topology, peers);
  made->always_native = always_native_table(*made);
  if (is_inter == 0) made->graph = own_neighbors(comm, made->rank);
  if (comm == native().comm_world && all.expects_world) {
    all.world_oversubscribed = made->topology.oversubscribed();
    for (Peer& peer : peers) peer.crowded = all.world_oversubscribed;
    all.world = std::move(peers);
  }
  int error = MPI_SUCCESS;
  if (made->size == 1) {
    made->channel = own_channel::get();
  } else if (is_inter == 0) {
    error = make_channel(comm, group, &made->channel);
  }
  native().Group_free(&group);
  if (error != MPI_SUCCESS) return false;
  made->tags = Tags(made->size);

  native().Comm_set_attr(comm, keyval(), made.get());
  const std::lock_guard lock(all.mutex);
  all.known.push_back(std::move(made));
  ++detail::generation;
  return true;
}

Communicator* detail::look_up(MPI_Comm comm) {
  const unsigned now = generation.load(std::memory_order_acquire);
  const int known = registry().keyval;
  if (known == MPI_KEYVAL_INVALID || comm == native().comm_null) return nullptr;
  void* value = nullptr;
  int found = 0;
  native().Comm_get_attr(comm, known, static_cast<void*>(&value), &found);
  last = {now, comm, found != 0 ? static_cast<Communicator*>(value) : nullptr};
  return last.known;
}

void reap() {
  Registry& all = registry();
  if (!all.any_orphaned) return;
  std::vector<std::unique_ptr<Communicator>> dead;
  {
    const std::lock_guard lock(all.mutex);
    const auto is_dead = [](const auto& known) {
      return known->orphaned && known->operations == 0;
    };
    const auto first = std::partition(all.known.begin(), all.known.end(),
                                      [&](const auto& known) { return !is_dead(known); });
    std::move(first, all.known.end(), std::back_inserter(dead));
    all.known.erase(first, all.known.end());
    all.any_orphaned = std::any_of(all.known.begin(), all.known.end(),
                                   [](const auto& known) { return known->orphaned; });
  }
  for (const auto& known : dead) release(*known);
}

void finish() {
  Registry& all = registry();
  reap();
  const std::lock_guard lock(all.mutex);
  for (const auto& known : all.known) {
    // Others were leaked by the program; MPI_Finalize deals with them and their channels.
    // Its attribute callbacks for all of them may still come, so the objects stay.
    const bool predefined = known->user == native().comm_world || known->user == native().comm_self;
    if (predefined) release(*known);
  }
  own_channel::close();
  int made = all.keyval.exchange(MPI_KEYVAL_INVALID);
  if (made != MPI_KEYVAL_INVALID) native().Comm_free_keyval(&made);
  ++detail::generation;
}

}  // namespace communicators
}  // namespace stretto
