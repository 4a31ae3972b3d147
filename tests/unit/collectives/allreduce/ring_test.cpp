#include <gtest/gtest.h>

#include "collectives/built.hpp"

namespace stretto {
namespace {

TEST(AllreduceRing, EveryRankSendsTwoTimesPMinusOneBlocksWhateverP) {
  for (const int size : {1, 2, 3, 8, 13}) {
    const Cost counted = cost(
        built("ring", {.collective = Collective::allreduce, .size = size, .count = 10 * size}));
    EXPECT_EQ(counted.max_messages, 2 * (size - 1));
    EXPECT_EQ(counted.max_sent, 2 * (size - 1) * 10);
  }
}

TEST(AllreduceRing, DeclaresItselfCommutativeOnly) {
  EXPECT_FALSE(algorithm(Collective::allreduce, "ring").keeps_rank_order);
}

TEST(AllreduceRing, NeedsNeitherCopiesNorScratchUnlessInPlace) {
  Shape shape{.collective = Collective::allreduce, .size = 5, .count = 50};
  for (const Schedule& rank : built("ring", shape)) {
    EXPECT_EQ(number_of(rank, StepKind::copy), 0);
    EXPECT_EQ(rank.scratch, 0);
  }
  shape.in_place = true;
  EXPECT_EQ(cost(built("ring", shape)).max_scratch, 50);
}

TEST(AllreduceRing, TalksToNeighboursOnly) {
  for (const Schedule& rank :
       built("ring", {.collective = Collective::allreduce, .size = 5, .count = 50})) {
    for (const Step& step : steps_of(rank, StepKind::send)) {
      EXPECT_EQ(step.peer, (rank.rank + 1) % 5);
    }
  }
}

}  // namespace
}  // namespace stretto
