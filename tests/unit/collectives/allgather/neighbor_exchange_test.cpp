#include <gtest/gtest.h>

#include "collectives/built.hpp"

namespace stretto {
namespace {

TEST(AllgatherNeighborExchange, HalfAsManyMessagesAsRing) {
  for (const int size : {2, 6, 8, 12}) {
    for (const Schedule& rank : built("neighbor_exchange", shape_of(Collective::allgather, size))) {
      EXPECT_EQ(number_of(rank, StepKind::send), size / 2);
      EXPECT_EQ(rank.scratch, 0);
    }
  }
}

TEST(AllgatherNeighborExchange, AnOddRankOutGoesThroughItsNeighbour) {
  const Schedules ranks = built("neighbor_exchange", shape_of(Collective::allgather, 7));
  ASSERT_EQ(ranks[0].steps.size(), 2);
  for (const Step& step : ranks[0].steps) EXPECT_EQ(step.peer, 1);
  EXPECT_EQ(number_of(ranks[1], StepKind::send), 3 + 1);
  EXPECT_EQ(number_of(ranks[2], StepKind::send), 3);
}

}  // namespace
}  // namespace stretto
