#include "mpi/world.hpp"

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

}  // namespace stretto
