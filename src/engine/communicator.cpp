#include "engine/communicator.hpp"

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>

#include "engine/agreement.hpp"
#include "engine/block_offer.hpp"
#include "engine/device_job.hpp"
#include "engine/engine.hpp"
#include "mpi/neighbors.hpp"
#include "mpi/opaque.hpp"
#include "mpi/own_channel.hpp"
#include "mpi/world.hpp"
#include "selection/contenders.hpp"
#include "selection/in_memory.hpp"
#include "selection/tuned.hpp"

namespace stretto {

namespace communicators {
namespace {

// What all ranks of a communicator must have for it to be so.
constexpr std::uint64_t kSameRanks = 1;  // their ranks are those of the channel, all of them
constexpr std::uint64_t kProgressThread = 2;
constexpr std::uint64_t kHostBuffers = 4;  // only, as far as they know
constexpr std::uint64_t kProgramThreads = 8;
constexpr std::uint64_t kLearns = 16;
constexpr std::uint64_t kLearnsAll = 32;
constexpr std::uint64_t kProgressInMemory = 64;

struct Registry {
  std::mutex mutex;
  bool expects_world = false;
  std::atomic<bool> foreign_ranks{true};  // see expect_foreign_ranks
  std::shared_ptr<Channel> world;         // of MPI_COMM_WORLD, once attached, where it is the first
  int world_size = 0;
  Rank world_rank = 0;
  bool world_device_buffers = false;
  std::vector<std::unique_ptr<Communicator>> known;
  std::atomic<bool> any_orphaned{false};
};

Registry& registry() { return of_rank<Registry>(); }

// The program frees the communicator. What runs on it goes on; `reap` does the rest, since a
// callback of the MPI's is no place to free another communicator.
void on_free(void* value) {
  const std::lock_guard lock(registry().mutex);
  static_cast<Communicator*>(value)->orphaned = true;
  registry().any_orphaned = true;
}

// Who comes from another MPI_COMM_WORLD need not run Stretto. All ranks come to the same answer:
// either they are all in one MPI_COMM_WORLD, or each finds some that are not in its own.
bool may_be_foreign(MPI_Comm comm, const Communicator* parent) {
  const Registry& all = registry();
  if (!all.expects_world || !all.foreign_ranks) return false;
  return parent == nullptr && comm != native().comm_world && !all_in_world(comm);
}

bool is_forced(const Forced& forced) { return forced.native || forced.algorithm != nullptr; }

bool may_be_without_mpi(Collective collective) {
  return collective != Collective::barrier && !is_neighborhood(collective);
}

void set_always_native(Communicator& comm) {
  auto& table = comm.always_native;
  for (const Form form : {Form::blocking, Form::nonblocking, Form::persistent}) {
    for (int c = 0; c < kCollectives; ++c) {
      const Query query{.collective = static_cast<Collective>(c),
                        .size = comm.size,
                        .bytes = kSomeBytes,
                        .without_mpi = may_be_without_mpi(static_cast<Collective>(c)),
                        .form = form,
                        .two_groups = comm.is_inter()};
      table[static_cast<std::size_t>(form)][static_cast<std::size_t>(c)] =
          always_native(query, comm.around, overrides());
    }
  }
  auto& blocking = table[static_cast<std::size_t>(Form::blocking)];
  comm.native_unlearned = blocking;
  for (std::size_t c = 0; c < kCollectives; ++c) {
    const auto collective = static_cast<Collective>(c);
    comm.learns[c] = comm.around.learns != Learns::off && has_contenders(collective, overrides()) &&
                     !comm.around.rules->has(collective, comm.size, comm.around.hosts);
    if (comm.learns[c]) blocking[c] = Reason::none;
    if (comm.root_sends == nullptr || is_forced(overrides()[c])) continue;
    comm.by_root[c] = algorithm_by_root(collective, comm.size, comm.around);
  }
}

// Nothing runs on it any more. Its messages have all arrived, so its id may be another's.
void release(Communicator& known) {
  if (known.channel == nullptr) return;
  if (known.channel == registry().world) {
    known.channel->ids.give_back(known.id);
  } else {
    known.channel->free();
  }
  known.channel = nullptr;
}

// What each group knows of the other it sends it: a part from each rank, as all say as much.
std::vector<Rank> gather_own_group(const Members& members, const std::vector<Rank>& remote,
                                   int local_size) {
  const auto part = [](int number, int ranks) {
    return static_cast<std::size_t>((number + ranks - 1) / ranks);
  };
  const auto remote_size = static_cast<int>(remote.size());
  const std::size_t sent = part(remote_size, local_size);
  const std::size_t received = part(local_size, remote_size);
  std::vector<Rank> to_send(remote);
  to_send.resize(sent * static_cast<std::size_t>(local_size));
  std::vector<Rank> own(received * remote.size());
  native().Allgather(to_send.data() + sent * static_cast<std::size_t>(members.rank),
                     static_cast<int>(sent * sizeof(Rank)), native().byte, own.data(),
                     static_cast<int>(received * sizeof(Rank)), native().byte, members.comm);
  own.resize(static_cast<std::size_t>(local_size));
  return own;
}

// The group with the lower first rank in MPI_COMM_WORLD comes first, on the ranks of both.
std::vector<Rank> join_groups(const Members& members, Communicator& made, Rank mine) {
  Groups& groups = made.groups;
  std::vector<Rank> remote = of_all_ranks(mine, groups.remote_size, members.comm);
  std::vector<Rank> local = gather_own_group(members, remote, groups.local_size);
  const bool first = local.front() < remote.front();
  groups.local = first ? 0 : groups.remote_size;
  groups.remote = first ? groups.local_size : 0;
  made.rank = groups.local + members.rank;
  std::vector<Rank> ranks = std::move(first ? local : remote);
  const std::vector<Rank>& rest = first ? remote : local;
  ranks.insert(ranks.end(), rest.begin(), rest.end());
  return ranks;
}

std::uint64_t own_flags() {
  const Engine& engine = Engine::get();
  const Learns learns = learn_setting();
  return (engine.has_progress_thread() ? kProgressThread : 0) |
         (engine.advances_in_memory() ? kProgressInMemory : 0) |
         (engine.program_has_threads() ? kProgramThreads : 0) |
         (learns != Learns::off ? kLearns : 0) | (learns == Learns::all ? kLearnsAll : 0);
}

// Has it anything to choose from? On one host messages of the MPI's are no match for its own
// collectives, which need none; its ranks all share memory, or none does with all.
Learns learns_on(const Communicator& comm, std::uint64_t agreed) {
  const bool has_choice = comm.around.hosts > 1 || comm.routes.avoid_last(comm.size);
  const bool learns = has_choice && !comm.is_inter() && !comm.around.never_native &&
                      !comm.around.device_buffers && (agreed & kLearns) != 0;
  if (!learns) return Learns::off;
  return (agreed & kLearnsAll) != 0 ? Learns::all : Learns::on;
}

bool is_mpich() {
  static const bool is = native_version().starts_with("MPICH");
  return is;
}

bool have_cores(const Hosts& hosts) { return hosts.knows_cores && !hosts.oversubscribed; }

Surroundings agreed_surroundings(const HostPlacement& placement, const Hosts& hosts,
                                 std::uint64_t agreed) {
  return {.hosts = placement.hosts,
          .in_blocks = placement.in_blocks,
          // Its ranks may wait for cores that ranks outside of it are on.
          .has_cores = have_cores(hosts),
          .progress_thread = (agreed & kProgressThread) != 0,
          .progress_in_memory = (agreed & kProgressInMemory) != 0,
          .is_mpich = is_mpich(),
          .program_threads = (agreed & kProgramThreads) != 0,
          .never_native = never_native(),
          .rules = &tuned_rules()};
}

// `made` gets a context id on MPI_COMM_WORLD's channel. Collective. False where there is none.
bool join_world(const Members& members, Communicator& made) {
  const Registry& all = registry();
  const bool same = !members.is_inter && made.size == all.world_size && made.rank == all.world_rank;
  made.channel = all.world;
  BlockOffer blocks(members, made);
  const std::uint64_t flags = (same ? kSameRanks : 0) | own_flags() | blocks.flags();
  const Agreement agreement = agree(members, flags, all.world->ids);
  blocks.settle(agreement);
  if (agreement.error != MPI_SUCCESS || !agreement.id) return false;
  made.id = *agreement.id;
  std::vector<Rank> ranks;  // in MPI_COMM_WORLD
  if (members.is_inter) {
    ranks = join_groups(members, made, all.world_rank);
  } else if ((agreement.flags & kSameRanks) == 0) {
    ranks = of_all_ranks(all.world_rank, made.size, members.comm);
  }
  const Hosts& hosts = all.world->hosts;
  const HostPlacement placement = host_placement_of(hosts.numbers, ranks);
  made.routes = Routes(made.channel->carriers, std::move(ranks));
  made.around = agreed_surroundings(placement, hosts, agreement.flags);
  made.around.device_buffers = all.world_device_buffers;
  made.around.shares_memory = made.routes.avoid_last(made.size);
  blocks.give_to(made);
  made.around.learns = learns_on(made, agreement.flags);
  return true;
}

// A channel of its own, which for MPI_COMM_WORLD will be the others', too. Collective. False
// where there is none.
bool open_channel(const Members& members, Communicator& made) {
  Registry& all = registry();
  made.channel = Channel::make(members.comm, Engine::get().transports());
  if (made.channel == nullptr) return false;
  const Hosts& hosts = made.channel->hosts = survey(made.channel->comm);
  // It is the first there, so what they agree on is the lowest id.
  BlockOffer blocks(members, made);
  const std::uint64_t flags =
      own_flags() | (device_job::is_likely() ? 0 : kHostBuffers) | blocks.flags();
  const Agreement agreement =
      agree({.comm = made.channel->comm, .rank = made.rank}, flags, made.channel->ids);
  blocks.settle(agreement);
  if (agreement.error != MPI_SUCCESS || !agreement.id) return false;
  made.id = *agreement.id;
  made.routes = Routes(made.channel->carriers, {});
  const HostPlacement placement = host_placement_of(hosts.numbers, {});
  made.around = agreed_surroundings(placement, hosts, agreement.flags);
  made.around.device_buffers = (agreement.flags & kHostBuffers) == 0;
  made.around.shares_memory = made.routes.avoid_last(made.size);
  blocks.give_to(made);
  made.around.learns = learns_on(made, agreement.flags);
  if (members.comm == native().comm_world && all.expects_world) {
    all.world = made.channel;
    all.world_size = made.size;
    all.world_rank = made.rank;
    all.world_device_buffers = made.around.device_buffers;
  }
  return true;
}

}  // namespace

detail::Attributes::Attributes() : CommAttributes(on_free) {}

void expect_world() {
  registry().expects_world = true;
  MPI_Comm parent{};
  native().Comm_get_parent(&parent);
  registry().foreign_ranks = parent != native().comm_null;
}

void expect_foreign_ranks() { registry().foreign_ranks = true; }
bool expects_foreign_ranks() { return registry().foreign_ranks; }

const Hosts& world_hosts() {
  static const auto& alone = *new Hosts;
  const auto& world = registry().world;
  if (world == nullptr) return alone;
  return world->hosts;
}

bool attach(MPI_Comm comm, const Communicator* parent) {
  Registry& all = registry();
  auto made = std::make_unique<Communicator>();
  made->user = comm;
  int is_inter = 0;
  native().Comm_test_inter(comm, &is_inter);
  if (is_inter != 0 && all.world == nullptr) return false;
  if (may_be_foreign(comm, parent)) return false;
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
    const Carrier alone{Engine::get().transports().back().get(), {opaque(own_channel::get())}};
    made->routes = Routes({&alone, 1}, {});  // and tag 0
    made->around = {.has_cores = have_cores(world_hosts()),
                    .progress_thread = Engine::get().has_progress_thread(),
                    .program_threads = Engine::get().program_has_threads(),
                    .never_native = never_native(),
                    .device_buffers = all.world_device_buffers || device_job::is_likely()};
  } else {
    const bool joined =
        all.world != nullptr ? join_world(members, *made) : open_channel(members, *made);
    if (!joined) return false;
    const TagLayout& tags = made->channel->tags;
    made->tags = TagRange(tags.first_tag(made->id), tags.width());
    made->slots.emplace(tags.width());
  }
  const auto count = [](std::size_t bytes) {
    return static_cast<Count>(std::min<std::size_t>(bytes, kSomeBytes));
  };
  made->around.beats_kernel_below = count(made->routes.beats_kernel().below);
  made->around.beats_kernel_anew_below = count(made->routes.beats_kernel().anew_below);
  set_always_native(*made);
  if (is_inter == 0) made->graph = own_neighbors(comm, made->rank);

  of_rank<detail::Attributes>().set(comm, made.get());
  const std::lock_guard lock(all.mutex);
  all.known.push_back(std::move(made));
  return true;
}

namespace {

// A slot of `comm`, given back when the last operation that uses it has ended.
struct PersistentTag {
  PersistentTag(const Communicator& of, PersistentSlots& from, int taken)
      : slots(from), slot(taken), tags(of.channel->tags.slot_tag(of.id, taken), 1) {}
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
  of_rank<detail::Attributes>().close();
}

}  // namespace communicators
}  // namespace stretto
