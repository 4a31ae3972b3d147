#include "schedule/graph.hpp"

#include <gtest/gtest.h>

#include "schedule/verify_graphs.hpp"

namespace stretto {
namespace {

TEST(Graph, MessagesGoByLabelThenInOrderAndNobodyGetsNone) {
  const std::vector<Edge> edges{{3, 1}, {Edge::kNobody, 0}, {3, 0}, {5, 1}, {3, 0}};
  EXPECT_EQ(in_message_order(edges), (std::vector<int>{2, 4, 0, 3}));
}

TEST(Graph, ARingOfTwoTellsItsDirectionsApart) {
  const Graph ring = ring_graph(2);
  EXPECT_EQ(ring.at(0).sources[0].peer, ring.at(0).sources[1].peer);
  // What leaves downwards (block 0) arrives from above (block 1).
  EXPECT_EQ(ring.at(0).destinations[0].label, ring.at(1).sources[1].label);
  EXPECT_EQ(ring.at(0).destinations[1].label, ring.at(1).sources[0].label);
}

// A proof on graphs whose ends do not fit would prove nothing.
TEST(Graph, EveryEdgeOfThoseToProveHasBothEnds) {
  for (const int size : {1, 2, 3, 4, 6, 9, 12}) {
    for (const auto& graph : graphs_to_prove(size)) {
      std::map<std::tuple<Rank, Rank, int>, int> open;
      ASSERT_EQ(static_cast<int>(graph->size()), size);
      for (const auto& [me, mine] : *graph) {
        for (const Edge& edge : mine.destinations) ++open[{me, edge.peer, edge.label}];
        for (const Edge& edge : mine.sources) --open[{edge.peer, me, edge.label}];
      }
      for (const auto& [edge, balance] : open) {
        const auto [from, to, label] = edge;
        const bool leads_outside = from == Edge::kNobody || to == Edge::kNobody;
        EXPECT_TRUE(balance == 0 || leads_outside) << from << " to " << to << " label " << label;
      }
    }
  }
}

}  // namespace
}  // namespace stretto
