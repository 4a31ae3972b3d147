#include "mpi/neighbors.hpp"

namespace stretto {
namespace {

std::vector<Edge> edges(const std::vector<int>& peers) {
  std::vector<Edge> edges;
  edges.reserve(peers.size());
  for (const int peer : peers) {
    edges.push_back({.peer = peer == MPI_PROC_NULL ? Edge::kNobody : peer});
  }
  return edges;
}

Neighbors cartesian(MPI_Comm comm) {
  int dimensions = 0;
  native().Cartdim_get(comm, &dimensions);
  std::vector<int> peers;
  for (int d = 0; d < dimensions; ++d) {
    int before = 0;
    int behind = 0;
    native().Cart_shift(comm, d, 1, &before, &behind);
    peers.insert(peers.end(), {before, behind});
  }
  Neighbors mine{edges(peers), edges(peers)};
  for (int k = 0; k < 2 * dimensions; ++k) {
    const auto index = static_cast<std::size_t>(k);
    mine.destinations[index].label = k;
    mine.sources[index].label = k ^ 1;  // it left in the opposite direction
  }
  return mine;
}

Neighbors graph(MPI_Comm comm, Rank me) {
  int count = 0;
  native().Graph_neighbors_count(comm, me, &count);
  std::vector<int> peers(static_cast<std::size_t>(count));
  native().Graph_neighbors(comm, me, count, peers.data());
  return {edges(peers), edges(peers)};
}

Neighbors distributed_graph(MPI_Comm comm) {
  int in = 0;
  int out = 0;
  int weighted = 0;
  native().Dist_graph_neighbors_count(comm, &in, &out, &weighted);
  std::vector<int> sources(static_cast<std::size_t>(in));
  std::vector<int> destinations(static_cast<std::size_t>(out));
  std::vector<int> source_weights(sources.size());
  std::vector<int> destination_weights(destinations.size());
  native().Dist_graph_neighbors(comm, in, sources.data(), source_weights.data(), out,
                                destinations.data(), destination_weights.data());
  return {edges(sources), edges(destinations)};
}

}  // namespace

std::shared_ptr<const Graph> own_neighbors(MPI_Comm comm, Rank me) {
  int kind = MPI_UNDEFINED;
  native().Topo_test(comm, &kind);
  Neighbors mine;
  if (kind == MPI_CART) {
    mine = cartesian(comm);
  } else if (kind == MPI_GRAPH) {
    mine = graph(comm, me);
  } else if (kind == MPI_DIST_GRAPH) {
    mine = distributed_graph(comm);
  } else {
    return nullptr;
  }
  return std::make_shared<const Graph>(Graph{{me, std::move(mine)}});
}

}  // namespace stretto
