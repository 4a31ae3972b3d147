#include "schedule/verify_graphs.hpp"

#include <random>

namespace stretto {
namespace {

// A Cartesian topology of two dimensions, periodic in one direction or in both.
Graph mesh(int rows, int columns, bool both_periodic) {
  const auto rank_at = [=](int row, int column) -> Rank {
    const bool outside = row < 0 || row >= rows;
    if (outside && !both_periodic) return Edge::kNobody;
    return (row + rows) % rows * columns + (column + columns) % columns;
  };
  Graph graph;
  for (int row = 0; row < rows; ++row) {
    for (int column = 0; column < columns; ++column) {
      const std::vector<Rank> around{rank_at(row - 1, column), rank_at(row + 1, column),
                                     rank_at(row, column - 1), rank_at(row, column + 1)};
      Neighbors& mine = graph[row * columns + column];
      for (int k = 0; k < 4; ++k) {
        const Rank peer = around[static_cast<std::size_t>(k)];
        mine.destinations.push_back({peer, k});
        mine.sources.push_back({peer, k ^ 1});  // it came the other way
      }
    }
  }
  return graph;
}

Graph without_edges(int size) {
  Graph graph;
  for (Rank me = 0; me < size; ++me) graph[me] = {};
  return graph;
}

Graph star(int size) {
  Graph graph = without_edges(size);
  for (Rank leaf = 1; leaf < size; ++leaf) {
    graph[0].destinations.push_back({leaf, 0});
    graph[leaf].sources.push_back({0, 0});
  }
  return graph;
}

Graph random_graph(int size, unsigned seed) {
  std::minstd_rand random(seed);
  const auto any_rank = [&] { return static_cast<Rank>(random() % static_cast<unsigned>(size)); };
  Graph graph = without_edges(size);
  for (int edge = 0; edge < 3 * size; ++edge) {
    const Rank from = any_rank();
    const Rank to = edge % 4 == 0 ? from : any_rank();
    const bool twice = edge % 3 == 0;
    for (int times = 0; times < (twice ? 2 : 1); ++times) {
      graph[from].destinations.push_back({to, 0});
      graph[to].sources.push_back({from, 0});
    }
  }
  return graph;
}

int divisor_near_root(int size) {
  int divisor = 1;
  for (int d = 2; d * d <= size; ++d) {
    if (size % d == 0) divisor = d;
  }
  return divisor;
}

}  // namespace

std::vector<std::shared_ptr<const Graph>> graphs_to_prove(int size) {
  const int rows = divisor_near_root(size);
  std::vector<std::shared_ptr<const Graph>> graphs;
  for (const Graph& graph :
       std::vector{ring_graph(size), mesh(rows, size / rows, true), mesh(rows, size / rows, false),
                   without_edges(size), star(size), random_graph(size, 1), random_graph(size, 2)}) {
    graphs.push_back(std::make_shared<const Graph>(graph));
  }
  return graphs;
}

}  // namespace stretto
