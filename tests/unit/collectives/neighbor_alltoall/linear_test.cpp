#include <gtest/gtest.h>

#include "collectives/built.hpp"
#include "schedule/graph.hpp"

namespace stretto {
namespace {

TEST(NeighborAlltoallLinear, AllMessagesAreUnderWayAtOnceAndNoneGoesToOneself) {
  for (const int size : {1, 2, 5}) {
    const Shape shape{.collective = Collective::neighbor_alltoall,
                      .size = size,
                      .count = 3,
                      .graph = std::make_shared<const Graph>(ring_graph(size))};
    for (const Schedule& rank : built("linear", shape)) {
      EXPECT_EQ(number_of(rank, StepKind::send), size == 1 ? 0 : 2);
      EXPECT_EQ(number_of(rank, StepKind::recv), size == 1 ? 0 : 2);
      EXPECT_EQ(number_of(rank, StepKind::copy), size == 1 ? 2 : 0);
      for (const Step& step : rank.steps) EXPECT_TRUE(starts_at_once(step));
      EXPECT_EQ(rank.scratch, 0);
    }
  }
}

}  // namespace
}  // namespace stretto
