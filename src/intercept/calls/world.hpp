// The program's ranks, for the tools that watch its calls.
#pragma once

#include <vector>

#include "base/json.hpp"
#include "transport/mpi/native.hpp"

namespace stretto::intercept {

// A parent started these ranks (MPI_Comm_spawn): they are numbered from 0 again.
[[nodiscard]] bool is_spawned();

// For what a tool has to say: no receive of the program's may catch it. All ranks call this.
[[nodiscard]] MPI_Comm copy_of_world();

// The numbers in MPI_COMM_WORLD of a group's ranks; MPI_UNDEFINED for those that are not in it.
[[nodiscard]] std::vector<int> ranks_in_world(MPI_Group group);

// Each rank's value, of all `size` ranks of `comm`.
template <class Value>
[[nodiscard]] std::vector<Value> of_all_ranks(const Value& mine, int size, MPI_Comm comm) {
  std::vector<Value> all(static_cast<std::size_t>(size));
  native().Allgather(&mine, sizeof mine, native().byte, all.data(), sizeof mine, native().byte,
                     comm);
  return all;
}

// What every rank's file begins with: which it is, on what, and how often others had its core.
void describe_rank(Json& json);

}  // namespace stretto::intercept
