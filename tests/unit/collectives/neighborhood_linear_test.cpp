// What the neighbourhood collectives' linear algorithms have in common.
#include <gtest/gtest.h>

#include "collectives/built.hpp"
#include "schedule/graph.hpp"

namespace stretto {
namespace {

class NeighborhoodLinear : public ::testing::TestWithParam<Collective> {};

TEST_P(NeighborhoodLinear, AllMessagesAreUnderWayAtOnceAndNoneGoesToOneself) {
  for (const int size : {1, 2, 5}) {
    const Shape shape{.collective = GetParam(),
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

INSTANTIATE_TEST_SUITE_P(Both, NeighborhoodLinear,
                         ::testing::Values(Collective::neighbor_allgather,
                                           Collective::neighbor_alltoall));

}  // namespace
}  // namespace stretto
