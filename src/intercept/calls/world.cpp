#include "intercept/calls/world.hpp"

#include <sys/resource.h>

#include <numeric>

#include "topology/topology.hpp"

namespace stretto::intercept {

bool is_spawned() {
  MPI_Comm parent = native().comm_null;
  native().Comm_get_parent(&parent);
  return parent != native().comm_null;
}

MPI_Comm copy_of_world() {
  MPI_Group group{};
  MPI_Comm copy{};
  native().Comm_group(native().comm_world, &group);
  native().Comm_create(native().comm_world, group, &copy);
  native().Group_free(&group);
  return copy;
}

std::vector<int> ranks_in_world(MPI_Group group) {
  int size = 0;
  native().Group_size(group, &size);
  std::vector<int> ranks(static_cast<std::size_t>(size));
  std::iota(ranks.begin(), ranks.end(), 0);
  std::vector<int> world_ranks(ranks.size());
  MPI_Group world{};
  native().Comm_group(native().comm_world, &world);
  native().Group_translate_ranks(group, size, ranks.data(), world, world_ranks.data());
  native().Group_free(&world);
  return world_ranks;
}

void describe_rank(Json& json) {
  int rank = 0;
  int size = 0;
  native().Comm_rank(native().comm_world, &rank);
  native().Comm_size(native().comm_world, &size);
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  json.field("rank", rank)
      .field("size", size)
      .field("abi", STRETTO_ABI)
      .field("mpi", std::string_view(native_version()))
      .field("host", static_cast<const char*>(Place::here().host.data()))
      .field("involuntary_switches", usage.ru_nivcsw);
}

}  // namespace stretto::intercept
