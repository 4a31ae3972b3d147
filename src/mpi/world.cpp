#include "mpi/world.hpp"

#include <algorithm>
#include <numeric>

namespace stretto {

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

namespace {

bool in_world(MPI_Group group) {
  const std::vector<int> ranks = ranks_in_world(group);
  return std::ranges::find(ranks, MPI_UNDEFINED) == ranks.end();
}

}  // namespace

bool all_in_world(MPI_Comm comm) {
  MPI_Group group{};
  native().Comm_group(comm, &group);
  bool all = in_world(group);
  native().Group_free(&group);
  int is_inter = 0;
  native().Comm_test_inter(comm, &is_inter);
  if (!all || is_inter == 0) return all;
  native().Comm_remote_group(comm, &group);
  all = in_world(group);
  native().Group_free(&group);
  return all;
}

}  // namespace stretto
