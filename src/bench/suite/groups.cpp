#include "bench/suite/groups.hpp"

#include <algorithm>
#include <array>

#include "bench/suite/reached.hpp"
#include "mpi/native.hpp"

namespace stretto::bench {
namespace {

constexpr std::array<std::string_view, 4> kNames{"world", "every-second", "one-a-host", "halves"};

MPI_Comm split(MPI_Comm comm, int part, int rank) {
  MPI_Comm made{};
  using Split = int (*)(MPI_Comm, int, int, MPI_Comm*);
  reached_as<Split>("Comm_split")(comm, part, rank, &made);
  return made;
}

MPI_Comm with_neighbors(MPI_Comm comm, int size) {
  std::array<int, 2> dims{};
  using Dims = int (*)(int, int, int*);
  reached_as<Dims>("Dims_create")(size, 2, dims.data());
  const std::array<int, 2> periods{1, 1};
  MPI_Comm made{};
  using Create = int (*)(MPI_Comm, int, const int*, const int*, int, MPI_Comm*);
  reached_as<Create>("Cart_create")(comm, 2, dims.data(), periods.data(), 0, &made);
  return made;
}

}  // namespace

bool is_group_name(std::string_view name) {
  return std::ranges::find(kNames, name) != kNames.end();
}

CellGroup CellGroups::named(const std::string& name, bool neighbors, bool fresh) {
  if (fresh) return make(name, neighbors, true);
  const std::string key = neighbors ? name + " neighbors" : name;
  const auto found = known_.find(key);
  if (found != known_.end()) return found->second;
  return known_.emplace(key, make(name, neighbors, false)).first->second;
}

void CellGroups::let_go(CellGroup& group) {
  if (!group.is_in) return;
  using Free = int (*)(MPI_Comm*);
  reached_as<Free>("Comm_free")(&group.measured);
  native().Comm_free(&group.own);
}

CellGroup CellGroups::make(const std::string& name, bool neighbors, bool fresh) const {
  int rank = 0;
  int size = 1;
  const MPI_Comm world = native().comm_world;
  native().Comm_rank(world, &rank);
  native().Comm_size(world, &size);
  CellGroup group;
  group.rank_of_world = rank;
  const int part = part_of(name, rank, size);
  group.is_in = part != MPI_UNDEFINED;
  group.number = group.is_in ? part : 0;
  for (int other = 0; other < size; ++other) {
    if (part_of(name, other, size) == part) group.ranks.push_back(other);
  }
  group.is_everyone = name == "world" || name == "halves";
  // Its own first: on the measured one nothing shall have been called.
  native().Comm_split(world, part, rank, &group.own);
  group.measured = name == "world" && !fresh && !neighbors ? world : split(world, part, rank);
  if (!group.is_in) return group;
  native().Comm_rank(group.own, &group.place.rank);
  native().Comm_size(group.own, &group.place.size);
  if (!neighbors) return group;
  MPI_Comm flat = group.measured;
  group.measured = with_neighbors(flat, group.place.size);
  reached_as<int (*)(MPI_Comm*)>("Comm_free")(&flat);
  for (int dimension = 0; dimension < 2; ++dimension) {
    int before = 0;
    int behind = 0;
    native().Cart_shift(group.measured, dimension, 1, &before, &behind);
    for (const int each : {before, behind}) {
      group.place.sources.push_back(each);
      group.place.destinations.push_back(each);
    }
  }
  return group;
}

int CellGroups::part_of(std::string_view name, int rank, int size) const {
  if (name == "world") return 0;
  if (name == "every-second") return rank % 2 == 0 ? 0 : MPI_UNDEFINED;
  if (name == "halves") return rank < (size + 1) / 2 ? 0 : 1;
  // one-a-host: its first rank.
  for (int other = 0; other < rank; ++other) {
    if (topology_.host_of(other) == topology_.host_of(rank)) return MPI_UNDEFINED;
  }
  return 0;
}

}  // namespace stretto::bench
