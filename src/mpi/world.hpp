// MPI_COMM_WORLD and its ranks.
#pragma once

#include <vector>

#include "mpi/native.hpp"

namespace stretto {

// A parent started these ranks (MPI_Comm_spawn): they are numbered from 0 again.
[[nodiscard]] bool is_spawned();

// A communicator of the same ranks that no receive of the program's catches anything from. All
// ranks call this.
[[nodiscard]] MPI_Comm copy_of_world();

// The numbers in MPI_COMM_WORLD of a group's ranks; MPI_UNDEFINED for those that are not in it. An
// MPI may take the product of both sizes for it.
[[nodiscard]] std::vector<int> ranks_in_world(MPI_Group group);

// Are all ranks of a communicator, of both its groups, in MPI_COMM_WORLD? Local; takes as long.
[[nodiscard]] bool all_in_world(MPI_Comm comm);

// The same of an intercommunicator whose own group, all of `local_comm`, is known to be. Collective
// over `local_comm`: each of its ranks looks up as many of the other group's.
[[nodiscard]] bool others_in_world(MPI_Comm comm, MPI_Comm local_comm);

// Each rank's value, of all `size` ranks of `comm` or, of an intercommunicator, of its other group.
// `Value` is plain bytes. Collective.
template <class Value>
[[nodiscard]] std::vector<Value> of_all_ranks(const Value& mine, int size, MPI_Comm comm) {
  std::vector<Value> all(static_cast<std::size_t>(size));
  native().Allgather(&mine, sizeof mine, native().byte, all.data(), sizeof mine, native().byte,
                     comm);
  return all;
}

}  // namespace stretto
