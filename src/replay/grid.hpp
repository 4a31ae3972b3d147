// Ranks in a Cartesian grid of up to kMostDims dimensions, the last one varying fastest, as MPI's
// topologies number them (MPI 4.1, 8.5).
#pragma once

#include <array>
#include <vector>

namespace stretto::replay {

inline constexpr std::size_t kMostDims = 3;
using Coords = std::array<int, kMostDims>;

struct Grid {
  std::vector<int> dims{};
  bool is_periodic = true;

  [[nodiscard]] int ranks() const;
  [[nodiscard]] Coords coords_of(int rank) const;
  [[nodiscard]] int rank_at(const Coords& coords) const;
  // How far it is from one to the other; the short way round where it is periodic.
  [[nodiscard]] Coords way(int from, int to) const;
  // Whoever is that far away; -1 where the grid ends before.
  [[nodiscard]] int from(int rank, const Coords& way) const;
  // The ranks that differ from this one in the dimensions of `mask` only, in their order.
  [[nodiscard]] std::vector<int> slice(int rank, unsigned mask) const;
  // Of each dimension: first, last or between; all the same where it is periodic.
  [[nodiscard]] Coords border(int rank) const;
};

// All ways of putting so many ranks into a grid of dimensions of 2 or more, the fewest dimensions
// first.
[[nodiscard]] std::vector<Grid> grids_of(int ranks, bool is_periodic);

}  // namespace stretto::replay
