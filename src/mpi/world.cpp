#include "mpi/world.hpp"

#include <algorithm>
#include <cstdint>
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

namespace {

// As many of a group's ranks as `count` says, from `first` on.
std::vector<int> translated(MPI_Group group, int first, int count) {
  if (count == 0) return {};  // MPICH 3 takes no arrays without a place in memory
  std::vector<int> ranks(static_cast<std::size_t>(count));
  std::iota(ranks.begin(), ranks.end(), first);
  std::vector<int> world_ranks(ranks.size(), MPI_UNDEFINED);  // where the MPI fails
  MPI_Group world{};
  native().Comm_group(native().comm_world, &world);
  native().Group_translate_ranks(group, count, ranks.data(), world, world_ranks.data());
  native().Group_free(&world);
  return world_ranks;
}

bool are_known(const std::vector<int>& world_ranks) {
  return std::ranges::find(world_ranks, MPI_UNDEFINED) == world_ranks.end();
}

bool in_world(MPI_Group group) { return are_known(ranks_in_world(group)); }

}  // namespace

std::vector<int> ranks_in_world(MPI_Group group) {
  int size = 0;
  native().Group_size(group, &size);
  return translated(group, 0, size);
}

bool others_in_world(MPI_Comm comm, MPI_Comm local_comm) {
  int others = 0;
  native().Comm_remote_size(comm, &others);
  int me = 0;
  native().Comm_rank(local_comm, &me);
  int size = 0;
  native().Comm_size(local_comm, &size);
  const int share = (others + size - 1) / size;
  const int first = static_cast<int>(std::min<std::int64_t>(std::int64_t{share} * me, others));
  MPI_Group group{};
  native().Comm_remote_group(comm, &group);
  const unsigned char mine =
      are_known(translated(group, first, std::min(share, others - first))) ? 1 : 0;
  native().Group_free(&group);
  unsigned char all = 0;
  native().Allreduce(&mine, &all, 1, native().byte, native().op_band, local_comm);
  return all != 0;
}

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
