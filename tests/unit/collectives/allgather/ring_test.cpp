#include <gtest/gtest.h>

#include "collectives/built.hpp"

namespace stretto {
namespace {

TEST(AllgatherRing, EveryBlockGoesAllTheWayRoundBetweenNeighbours) {
  for (const Schedule& rank :
       built("ring", {.collective = Collective::allgather, .size = 7, .count = 5})) {
    EXPECT_EQ(number_of(rank, StepKind::send), 6);
    for (const Step& step : steps_of(rank, StepKind::recv)) {
      EXPECT_EQ(step.peer, (rank.rank + 6) % 7);
      EXPECT_TRUE(starts_at_once(step));
    }
    EXPECT_EQ(rank.scratch, 0);
  }
}

}  // namespace
}  // namespace stretto
