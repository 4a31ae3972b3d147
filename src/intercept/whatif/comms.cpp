#include "intercept/whatif/comms.hpp"

#include <algorithm>
#include <atomic>

#include "engine/own_neighbors.hpp"
#include "intercept/calls/world.hpp"
#include "intercept/whatif/process.hpp"

namespace stretto::intercept::whatif {
namespace {

// Of more, that each tells all others takes longer than that one works it out for all.
constexpr int kFew = 8;

// Changes when a communicator is freed, as its handle may come back for another.
std::atomic<unsigned> generation{1};

// Has nothing to destroy, as no thread_local here may: MPI may be called, and finalized, by what
// exit() runs after it has destroyed this thread's. `comm` lies where its attribute is kept, and
// that is told apart by the generation.
struct Last {
  unsigned generation = 0;
  MPI_Comm handle{};
  const CommPtr* comm = nullptr;
};
constinit thread_local Last last [[gnu::tls_model("initial-exec")]];

int copy_nothing(MPI_Comm /*comm*/, int /*keyval*/, void* /*extra*/, void* /*in*/, void* /*out*/,
                 int* flag) {
  *flag = 0;
  return MPI_SUCCESS;
}

int on_free(MPI_Comm /*comm*/, int /*keyval*/, void* value, void* /*extra*/) {
  ++generation;
  delete static_cast<CommPtr*>(value);
  return MPI_SUCCESS;
}

}  // namespace

void Comms::open() {
  native().Comm_create_keyval(copy_nothing, on_free, &keyval_, nullptr);
  attach(native().comm_world);
  attach(native().comm_self);
}

void Comms::close() { native().Comm_free_keyval(&keyval_); }

std::unique_ptr<CommPtr> Comms::look_at(MPI_Comm comm) {
  int is_inter = 0;
  native().Comm_test_inter(comm, &is_inter);
  if (is_inter != 0) return nullptr;
  auto known = std::make_unique<CommPtr>(std::make_shared<Comm>());
  Comm& made = **known;
  native().Comm_rank(comm, &made.rank);
  MPI_Group group{};
  native().Comm_group(comm, &group);
  made.world = ranks_in_world(group);
  native().Group_free(&group);
  const bool has_strangers = std::any_of(made.world.begin(), made.world.end(),
                                         [](int rank) { return rank == MPI_UNDEFINED; });
  if (has_strangers) return nullptr;
  made.neighbors = own_neighbors(comm, made.rank);
  made.together = made.size() <= kFew && Process::get().mailbox.reaches_at_once(made.world);
  return known;
}

void Comms::attach(MPI_Comm comm) {
  auto known = look_at(comm);
  if (!known) return;
  Comm& made = **known;
  made.id = of_all_ranks(name(made.first()), made.size(), comm).front();
  keep(comm, std::move(known));
}

void Comms::attach(MPI_Comm comm, std::int64_t id) {
  auto known = look_at(comm);
  if (!known) return;
  (*known)->id = id;
  keep(comm, std::move(known));
}

void Comms::keep(MPI_Comm comm, std::unique_ptr<CommPtr> known) {
  {
    Process& process = Process::get();
    const Lock lock(process.mutex);
    (*known)->recorded = process.timeline.add((*known)->id, (*known)->world);
  }
  native().Comm_set_attr(comm, keyval_, known.release());
  ++generation;
}

CommPtr Comms::find(MPI_Comm comm) {
  const unsigned now = generation.load(std::memory_order_relaxed);
  if (last.generation == now && last.handle == comm) return *last.comm;
  void* value = nullptr;
  int found = 0;
  if (comm == native().comm_null) return nullptr;
  native().Comm_get_attr(comm, keyval_, static_cast<void*>(&value), &found);
  if (found == 0) return nullptr;  // nobody tells when it is freed
  last = {now, comm, static_cast<const CommPtr*>(value)};
  return *last.comm;
}

}  // namespace stretto::intercept::whatif
