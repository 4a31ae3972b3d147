#include "intercept/whatif/objects.hpp"

#include <algorithm>

#include "mpi/world.hpp"

namespace stretto::intercept::whatif {

void Objects::add(std::uintptr_t object, const ClockedComm& parent, std::int64_t id) {
  Process& process = Process::get();
  auto comm = std::make_shared<ClockedComm>();
  comm->id = id;
  comm->rank = parent.rank;
  comm->world = parent.world;
  comm->together = parent.together;
  const Lock lock(process.mutex);
  comm->recorded = process.virtual_time.add(id, comm->world);
  objects_[object] = {.comm = std::move(comm)};
}

CommPtr Objects::of(std::uintptr_t object) {
  const Lock lock(Process::get().mutex);
  const auto found = objects_.find(object);
  return found == objects_.end() ? nullptr : found->second.comm;
}

void Objects::remove(std::uintptr_t object) {
  const Lock lock(Process::get().mutex);
  objects_.erase(object);
}

void Objects::post(std::uintptr_t window, MPI_Group group) {
  const Lock lock(Process::get().mutex);
  Object& object = objects_.at(window);
  object.posted = ranks_in(*object.comm, group);
}

void Objects::start(std::uintptr_t window, MPI_Group group) {
  const Lock lock(Process::get().mutex);
  Object& object = objects_.at(window);
  object.started = ranks_in(*object.comm, group);
}

std::vector<int> Objects::posted(std::uintptr_t window) {
  const Lock lock(Process::get().mutex);
  return objects_.at(window).posted;
}

std::vector<int> Objects::started(std::uintptr_t window) {
  const Lock lock(Process::get().mutex);
  return objects_.at(window).started;
}

void Objects::complete(std::uintptr_t window) {
  const Lock lock(Process::get().mutex);
  objects_.at(window).started.clear();
}

void Objects::wait(std::uintptr_t window) {
  const Lock lock(Process::get().mutex);
  objects_.at(window).posted.clear();
}

std::vector<int> Objects::ranks_in(const ClockedComm& comm, MPI_Group group) {
  std::vector<int> ranks = ranks_in_world(group);
  for (int& rank : ranks) {
    const auto at = std::find(comm.world.begin(), comm.world.end(), rank);
    rank = static_cast<int>(at - comm.world.begin());
  }
  std::erase(ranks, comm.size());  // the MPI will refuse it
  return ranks;
}

}  // namespace stretto::intercept::whatif
