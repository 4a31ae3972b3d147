// The communicators that cells are measured on.
#pragma once

#include <mpi.h>

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "bench/suite/blocks.hpp"
#include "topology/topology.hpp"

namespace stretto::bench {

// One communicator, with another one of the same ranks for what the benchmark itself sends.
struct CellGroup {
  MPI_Comm measured{};
  MPI_Comm own{};
  int number = 0;  // of several that are measured at once
  int rank_of_world = 0;
  std::vector<int> ranks{};  // of MPI_COMM_WORLD, by rank
  Place place{};
  bool is_in = true;        // Does this rank take part?
  bool is_everyone = true;  // Do all?
};

[[nodiscard]] bool is_group_name(std::string_view name);

class CellGroups {
 public:
  explicit CellGroups(const Topology& topology) : topology_(topology) {}

  // Called by all ranks of MPI_COMM_WORLD. `neighbors`: with a topology of its own, a torus of two
  // dimensions. `fresh`: on whose measured communicator nobody has called anything yet; it is
  // released by let_go.
  [[nodiscard]] CellGroup named(const std::string& name, bool neighbors, bool fresh);
  static void let_go(CellGroup& group);

 private:
  [[nodiscard]] CellGroup make(const std::string& name, bool neighbors, bool fresh) const;
  // MPI_UNDEFINED where this rank is in none.
  [[nodiscard]] int part_of(std::string_view name, int rank, int size) const;

  const Topology& topology_;
  std::map<std::string, CellGroup> known_{};
};

}  // namespace stretto::bench
