#include "replay/grid.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

namespace stretto::replay {

int Grid::ranks() const {
  return std::accumulate(dims.begin(), dims.end(), 1, std::multiplies<>());
}

Coords Grid::coords_of(int rank) const {
  Coords coords{};
  for (std::size_t i = dims.size(); i-- > 0;) {
    coords[i] = rank % dims[i];
    rank /= dims[i];
  }
  return coords;
}

int Grid::rank_at(const Coords& coords) const {
  int rank = 0;
  for (std::size_t i = 0; i < dims.size(); ++i) rank = rank * dims[i] + coords[i];
  return rank;
}

Coords Grid::way(int from, int to) const {
  const Coords a = coords_of(from);
  const Coords b = coords_of(to);
  Coords way{};
  for (std::size_t i = 0; i < dims.size(); ++i) {
    way[i] = b[i] - a[i];
    if (!is_periodic) continue;
    if (2 * way[i] > dims[i]) way[i] -= dims[i];
    if (2 * way[i] <= -dims[i]) way[i] += dims[i];
  }
  return way;
}

int Grid::from(int rank, const Coords& way) const {
  Coords coords = coords_of(rank);
  for (std::size_t i = 0; i < dims.size(); ++i) {
    coords[i] += way[i];
    if (is_periodic) coords[i] = (coords[i] + dims[i]) % dims[i];
    if (coords[i] < 0 || coords[i] >= dims[i]) return -1;
  }
  return rank_at(coords);
}

std::vector<int> Grid::slice(int rank, unsigned mask) const {
  const Coords mine = coords_of(rank);
  std::vector<int> members;
  for (int other = 0; other < ranks(); ++other) {
    const Coords its = coords_of(other);
    bool is_in = true;
    for (std::size_t i = 0; i < dims.size(); ++i) {
      is_in = is_in && ((mask >> i & 1U) != 0 || its[i] == mine[i]);
    }
    if (is_in) members.push_back(other);
  }
  return members;
}

Coords Grid::border(int rank) const {
  Coords border{};
  if (is_periodic) return border;
  const Coords coords = coords_of(rank);
  for (std::size_t i = 0; i < dims.size(); ++i) {
    border[i] = (coords[i] == 0 ? 1 : 0) + (coords[i] == dims[i] - 1 ? 2 : 0);
  }
  return border;
}

std::vector<Grid> grids_of(int ranks, bool is_periodic) {
  std::vector<Grid> grids;
  std::vector<int> dims;
  const std::function<void(int)> divide = [&](int left) {
    if (dims.size() + 1 <= kMostDims && (left > 1 || dims.empty())) {
      dims.push_back(left);
      grids.push_back({.dims = dims, .is_periodic = is_periodic});
      dims.pop_back();
    }
    if (dims.size() + 1 >= kMostDims) return;
    for (int dim = 2; dim * 2 <= left; ++dim) {
      if (left % dim != 0) continue;
      dims.push_back(dim);
      divide(left / dim);
      dims.pop_back();
    }
  };
  divide(ranks);
  std::stable_sort(grids.begin(), grids.end(),
                   [](const Grid& a, const Grid& b) { return a.dims.size() < b.dims.size(); });
  return grids;
}

}  // namespace stretto::replay
