#include "engine/communicator.hpp"

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <numeric>

#include "engine/agreement.hpp"
#include "engine/device_job.hpp"
#include "engine/engine.hpp"
#include "engine/own_channel.hpp"
#include "engine/own_neighbors.hpp"

namespace stretto {

namespace communicators {
namespace {

// What all ranks of a communicator must have for it to be so.
constexpr std::uint64_t kSameRanks = 1;  // their ranks are those of the channel, all of them
constexpr std::uint64_t kProgressThread = 2;
constexpr std::uint64_t kHostBuffers = 4;  // only, as far as they can tell
constexpr std::uint64_t kProgramThreads = 8;

struct Registry {
  std::mutex mutex;
  std::atomic<int> keyval = MPI_KEYVAL_INVALID;
  bool expects_world = false;
  std::atomic<bool> foreign_ranks{true};  // see expect_foreign_ranks
  std::shared_ptr<Channel> world;         // of MPI_COMM_WORLD, once attached, where it is the first
  int world_size = 0;
  Rank world_rank = 0;
  Hosts world_hosts;
  bool world_device_buffers = false;
  std::vector<std::unique_ptr<Communicator>> known;
  std::atomic<bool> any_orphaned{false};
};

Registry& registry() {
  // Never destroyed: MPI's callbacks may come after static destructors have run.
  static auto* const instance = new Registry;
  return *instance;
}

// A copy of a communicator is another communicator: it is attached on its own.
// The program frees the communicator. What runs on it goes on; `reap` does the rest,
// since a callback of the MPI's is no place to free another communicator.
int on_free(MPI_Comm /*comm*/, int /*keyval*/, void* value, void* /*extra*/) {
  const std::lock_guard lock(registry().mutex);
  static_cast<Communicator*>(value)->orphaned = true;
  registry().any_orphaned = true;
  ++detail::generation;
  return MPI_SUCCESS;
}

// Are all ranks of the group in MPI_COMM_WORLD? An MPI may take the product of both sizes for it.
bool in_world(MPI_Group group) {
  int size = 0;
  native().Group_size(group, &size);
  std::vector<int> ranks(static_cast<std::size_t>(size));
  std::vector<int> world_ranks(ranks.size());
  std::iota(ranks.begin(), ranks.end(), 0);
  MPI_Group world{};
  native().Comm_group(native().comm_world, &world);
  native().Group_translate_ranks(group, size, ranks.data(), world, world_ranks.data());
  native().Group_free(&world);
  return std::ranges::find(world_ranks, MPI_UNDEFINED) == world_ranks.end();
}

bool all_in_world(MPI_Comm comm, bool is_inter) {
  MPI_Group group{};
  native().Comm_group(comm, &group);
  bool all = in_world(group);
  native().Group_free(&group);
  if (!all || !is_inter) return all;
  native().Comm_remote_group(comm, &group);
  all = in_world(group);
  native().Group_free(&group);
  return all;
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

// Where the longest are the MPI's all are.
constexpr Count kMostBytes = INT64_MAX;

auto always_native_table(const Communicator& comm) {
  decltype(comm.always_native) table{};
  for (const Form form : {Form::blocking, Form::nonblocking, Form::persistent}) {
    for (int c = 0; c < kCollectives; ++c) {
      const Query query{.collective = static_cast<Collective>(c),
                        .size = comm.size,
                        .bytes = kMostBytes,
                        .form = form,
                        .two_groups = comm.is_inter()};
      table[static_cast<std::size_t>(form)][static_cast<std::size_t>(c)] =
          always_native(query, comm.around, overrides());
    }
  }
  return table;
}

// Nothing runs on it any more. Its messages have all arrived, so its id may be another's.
void release(Communicator& known) {
  if (known.shared == nullptr) return;
  if (known.shared == registry().world) {
    known.shared->ids.give_back(known.id);
  } else {
    known.shared->free();
  }
  known.shared = nullptr;
}

std::vector<Rank> gather_ranks(const Members& members, Rank mine, int number) {
  std::vector<Rank> ranks(static_cast<std::size_t>(number));
  native().Allgather(&mine, sizeof mine, native().byte, ranks.data(), sizeof mine, native().byte,
                     members.comm);
  return ranks;
}

// What each group knows of the other it tells it: a part from each rank, as all say as much.
std::vector<Rank> gather_own_group(const Members& members, const std::vector<Rank>& remote,
                                   int local_size) {
  const auto part = [](int number, int ranks) {
    return static_cast<std::size_t>((number + ranks - 1) / ranks);
  };
  const auto remote_size = static_cast<int>(remote.size());
  const std::size_t sent = part(remote_size, local_size);
  const std::size_t received = part(local_size, remote_size);
  std::vector<Rank> told(remote);
  told.resize(sent * static_cast<std::size_t>(local_size));
  std::vector<Rank> own(received * remote.size());
  native().Allgather(told.data() + sent * static_cast<std::size_t>(members.rank),
                     static_cast<int>(sent * sizeof(Rank)), native().byte, own.data(),
                     static_cast<int>(received * sizeof(Rank)), native().byte, members.comm);
  own.resize(static_cast<std::size_t>(local_size));
  return own;
}

// The group with the lower first rank in MPI_COMM_WORLD comes first, on the ranks of both.
void join_groups(const Members& members, Communicator& made, Rank mine) {
  Groups& groups = made.groups;
  std::vector<Rank> remote = gather_ranks(members, mine, groups.remote_size);
  std::vector<Rank> local = gather_own_group(members, remote, groups.local_size);
  const bool first = local.front() < remote.front();
  groups.local = first ? 0 : groups.remote_size;
  groups.remote = first ? groups.local_size : 0;
  made.rank = groups.local + members.rank;
  made.channel_ranks = std::move(first ? local : remote);
  const std::vector<Rank>& rest = first ? remote : local;
  made.channel_ranks.insert(made.channel_ranks.end(), rest.begin(), rest.end());
}

std::uint64_t thread_flags() {
  const Engine& engine = Engine::get();
  return (engine.has_progress_thread() ? kProgressThread : 0) |
         (engine.program_has_threads() ? kProgramThreads : 0);
}

bool have_cores(const Hosts& hosts) { return hosts.knows_cores && !hosts.oversubscribed; }

// `made` gets a context id on MPI_COMM_WORLD's channel. Collective. False where there is none.
bool join_world(const Members& members, Communicator& made) {
  const Registry& all = registry();
  const bool same = !members.is_inter && made.size == all.world_size && made.rank == all.world_rank;
  const std::uint64_t flags = (same ? kSameRanks : 0) | thread_flags();
  const Agreement agreement = agree(members, flags, all.world->ids);
  if (agreement.error != MPI_SUCCESS || !agreement.id) return false;
  made.shared = all.world;
  made.id = *agreement.id;
  if (members.is_inter) {
    join_groups(members, made, all.world_rank);
  } else if ((agreement.flags & kSameRanks) == 0) {
    made.channel_ranks = gather_ranks(members, all.world_rank, made.size);
  }
  const Placement placement = placement_of(all.world_hosts.numbers, made.channel_ranks);
  made.around = {.hosts = placement.hosts,
                 .in_blocks = placement.in_blocks,
                 // Its ranks may wait for cores that ranks outside of it are on.
                 .has_cores = have_cores(all.world_hosts),
                 .progress_thread = (agreement.flags & kProgressThread) != 0,
                 .program_threads = (agreement.flags & kProgramThreads) != 0,
                 .never_native = never_native(),
                 .device_buffers = all.world_device_buffers};
  return true;
}

// A channel of its own, which for MPI_COMM_WORLD will be the others', too. Collective. False
// where there is none.
bool open_channel(const Members& members, Communicator& made) {
  Registry& all = registry();
  made.shared = Channel::make(members.comm);
  if (made.shared == nullptr) return false;
  Hosts hosts = survey(made.shared->comm);
  // It is the first there, so what they agree on is the lowest id.
  const std::uint64_t flags = thread_flags() | (device_job::is_likely() ? 0 : kHostBuffers);
  const Agreement agreement =
      agree({.comm = made.shared->comm, .rank = made.rank}, flags, made.shared->ids);
  if (agreement.error != MPI_SUCCESS || !agreement.id) return false;
  made.id = *agreement.id;
  const Placement placement = placement_of(hosts.numbers, {});
  made.around = {.hosts = placement.hosts,
                 .in_blocks = placement.in_blocks,
                 .has_cores = have_cores(hosts),
                 .progress_thread = (agreement.flags & kProgressThread) != 0,
                 .program_threads = (agreement.flags & kProgramThreads) != 0,
                 .never_native = never_native(),
                 .device_buffers = (agreement.flags & kHostBuffers) == 0};
  if (members.comm == native().comm_world && all.expects_world) {
    all.world = made.shared;
    all.world_size = made.size;
    all.world_rank = made.rank;
    all.world_hosts = std::move(hosts);
    all.world_device_buffers = made.around.device_buffers;
  }
  return true;
}

}  // namespace

void expect_world() {
  registry().expects_world = true;
  MPI_Comm parent{};
  native().Comm_get_parent(&parent);
  registry().foreign_ranks = parent != native().comm_null;
}

void expect_foreign_ranks() { registry().foreign_ranks = true; }
bool expects_foreign_ranks() { return registry().foreign_ranks; }

const Hosts& world_hosts() { return registry().world_hosts; }

bool attach(MPI_Comm comm) {
  Registry& all = registry();
  auto made = std::make_unique<Communicator>();
  made->user = comm;
  int is_inter = 0;
  native().Comm_test_inter(comm, &is_inter);
  // Who comes from another MPI_COMM_WORLD need not run Stretto.
  if (is_inter != 0 && all.world == nullptr) return false;
  if (all.world != nullptr && all.foreign_ranks && !all_in_world(comm, is_inter != 0)) return false;
  Members members{.comm = comm, .is_inter = is_inter != 0};
  native().Comm_rank(comm, &members.rank);
  native().Comm_size(comm, &made->size);
  made->rank = members.rank;
  if (members.is_inter) {
    made->groups.local_size = made->size;
    native().Comm_remote_size(comm, &made->groups.remote_size);
    made->size += made->groups.remote_size;
  }
  if (made->size == 1) {
    made->channel = own_channel::get();  // and tag 0
    made->around = {.has_cores = have_cores(all.world_hosts),
                    .progress_thread = Engine::get().has_progress_thread(),
                    .program_threads = Engine::get().program_has_threads(),
                    .never_native = never_native(),
                    .device_buffers = all.world_device_buffers || device_job::is_likely()};
  } else {
    const bool joined =
        all.world != nullptr ? join_world(members, *made) : open_channel(members, *made);
    if (!joined) return false;
    const TagLayout& tags = made->shared->tags;
    made->channel = made->shared->comm;
    made->tags = TagRange(tags.first_tag(made->id), tags.width());
    made->slots.emplace(tags.width());
  }
  made->always_native = always_native_table(*made);
  if (is_inter == 0) made->graph = own_neighbors(comm, made->rank);

  native().Comm_set_attr(comm, keyval(), made.get());
  const std::lock_guard lock(all.mutex);
  all.known.push_back(std::move(made));
  ++detail::generation;
  return true;
}

namespace {

// A slot of `comm`, given back when the last operation that uses it has ended.
struct PersistentTag {
  PersistentTag(const Communicator& of, PersistentSlots& from, int taken)
      : slots(from), slot(taken), tags(of.shared->tags.slot_tag(of.id, taken), 1) {}
  ~PersistentTag() { slots.give_back(slot); }
  PersistentTag(const PersistentTag&) = delete;
  PersistentTag& operator=(const PersistentTag&) = delete;

  PersistentSlots& slots;
  int slot;
  TagRange tags;
};

}  // namespace

std::shared_ptr<TagRange> persistent_tag(Communicator& comm) {
  if (!comm.slots) return std::make_shared<TagRange>();
  PersistentSlots& slots = *comm.slots;
  std::optional<int> slot = slots.take();
  if (!slot) {
    std::vector<std::uint64_t> returned = slots.returned();
    const int local_rank = comm.is_inter() ? comm.rank - comm.groups.local : comm.rank;
    const Members members{.comm = comm.user, .is_inter = comm.is_inter(), .rank = local_rank};
    if (keep_common_bits(members, returned) != MPI_SUCCESS) return nullptr;
    slots.renew(returned);
    slot = slots.take();
    if (!slot) return nullptr;
  }
  const auto tag = std::make_shared<PersistentTag>(comm, slots, *slot);
  return {tag, &tag->tags};
}

Communicator* detail::look_up(MPI_Comm comm) {
  const std::uint64_t now = generation.load(std::memory_order_acquire);
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
  for (const auto& known : dead) {
    if (known->graph) Engine::get().plans().forget(*known->graph);
    release(*known);
  }
}

void finish() {
  Registry& all = registry();
  reap();
  std::vector<Communicator*> predefined;
  {
    const std::lock_guard lock(all.mutex);
    for (const auto& known : all.known) {
      // Others were leaked by the program; MPI_Finalize deals with them and their channels.
      // Its attribute callbacks for all of them may still come, so the objects stay.
      const bool ours = known->user == native().comm_world || known->user == native().comm_self;
      if (ours) predefined.push_back(known.get());
    }
  }
  for (Communicator* const known : predefined) release(*known);
  own_channel::close();
  if (all.world != nullptr) all.world->free();
  all.world = nullptr;
  int made = all.keyval.exchange(MPI_KEYVAL_INVALID);
  if (made != MPI_KEYVAL_INVALID) native().Comm_free_keyval(&made);
  ++detail::generation;
}

}  // namespace communicators
}  // namespace stretto
