#include "intercept/whatif/comms.hpp"

#include <algorithm>

#include "intercept/whatif/process.hpp"
#include "mpi/neighbors.hpp"
#include "mpi/world.hpp"

namespace stretto::intercept::whatif {
namespace {

// Of more, that each sends to all others takes longer than that one works it out for all.
constexpr int kFew = 8;

}  // namespace

Comms::Comms() : attributes_([](void* value) { delete static_cast<CommPtr*>(value); }) {}

void Comms::open() {
  attach(native().comm_world);
  attach(native().comm_self);
}

void Comms::close() { attributes_.close(); }

std::unique_ptr<CommPtr> Comms::inspect(MPI_Comm comm) {
  int is_inter = 0;
  native().Comm_test_inter(comm, &is_inter);
  if (is_inter != 0) return nullptr;
  auto known = std::make_unique<CommPtr>(std::make_shared<ClockedComm>());
  ClockedComm& made = **known;
  native().Comm_rank(comm, &made.rank);
  MPI_Group group{};
  native().Comm_group(comm, &group);
  made.world = ranks_in_world(group);
  native().Group_free(&group);
  const bool has_strangers = std::any_of(made.world.begin(), made.world.end(),
                                         [](int rank) { return rank == MPI_UNDEFINED; });
  if (has_strangers) return nullptr;
  if (const auto neighbors = own_neighbors(comm, made.rank)) {
    for (const auto each : {Collective::neighbor_allgather, Collective::neighbor_alltoall}) {
      made.exchanges.emplace(each, model::exchange_plan(each, made.size(), neighbors, made.rank));
    }
  }
  made.together = made.size() <= kFew && Process::get().mailbox.reaches_at_once(made.world);
  return known;
}

void Comms::attach(MPI_Comm comm) {
  auto known = inspect(comm);
  if (!known) return;
  ClockedComm& made = **known;
  made.id = of_all_ranks(name(made.first()), made.size(), comm).front();
  keep(comm, std::move(known));
}

void Comms::attach(MPI_Comm comm, std::int64_t id) {
  auto known = inspect(comm);
  if (!known) return;
  (*known)->id = id;
  keep(comm, std::move(known));
}

void Comms::keep(MPI_Comm comm, std::unique_ptr<CommPtr> known) {
  {
    Process& process = Process::get();
    const Lock lock(process.mutex);
    (*known)->recorded = process.virtual_time.add((*known)->id, (*known)->world);
  }
  attributes_.set(comm, known.release());
}

CommPtr Comms::find(MPI_Comm comm) {
  const void* const found = attributes_.find(comm);
  return found == nullptr ? nullptr : *static_cast<const CommPtr*>(found);
}

}  // namespace stretto::intercept::whatif
