// Who exchanges with whom in a neighbourhood collective.
#pragma once

#include <map>
#include <vector>

#include "base/span.hpp"

namespace stretto {

// A neighbour of a rank's. Messages between two ranks match by label, then in the order in
// which each names the other. In a Cartesian topology what leaves in one direction arrives
// from the opposite one (MPI 4.1, 8.6), also where both neighbours are one rank: there the
// labels are the directions. Elsewhere all are 0.
struct Edge {
  Rank peer = kNobody;
  int label = 0;

  static constexpr Rank kNobody = -1;  // MPI_PROC_NULL: its block is left out
};

struct Neighbors {
  std::vector<Edge> sources;  // edge k receives block k
  std::vector<Edge> destinations;
};

// By rank. An operation under way knows its own rank alone, a proof all of them.
using Graph = std::map<Rank, Neighbors>;

// The numbers of the edges that exist, in the order in which their messages are exchanged.
[[nodiscard]] std::vector<int> in_message_order(const std::vector<Edge>& edges);

// A ring, as a periodic Cartesian topology of one dimension.
[[nodiscard]] Graph ring_graph(int size);

}  // namespace stretto
