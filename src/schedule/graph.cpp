#include "schedule/graph.hpp"

#include <algorithm>

namespace stretto {

std::vector<int> in_message_order(const std::vector<Edge>& edges) {
  std::vector<int> order;
  for (std::size_t k = 0; k < edges.size(); ++k) {
    if (edges[k].peer != Edge::kNobody) order.push_back(static_cast<int>(k));
  }
  const auto label = [&edges](int k) { return edges[static_cast<std::size_t>(k)].label; };
  std::ranges::stable_sort(order, {}, label);
  return order;
}

Graph ring_graph(int size) {
  Graph graph;
  for (Rank me = 0; me < size; ++me) {
    const Rank before = (me + size - 1) % size;
    const Rank behind = (me + 1) % size;
    // Label 0 travels towards lower ranks, label 1 towards higher ones.
    graph[me] = {.sources = {{before, 1}, {behind, 0}}, .destinations = {{before, 0}, {behind, 1}}};
  }
  return graph;
}

}  // namespace stretto
