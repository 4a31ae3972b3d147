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

// If each looked at all of its rounds, most of which have nothing to do, this would take minutes.
TEST(AllreduceRing, OfFewElementsTakesItsStepsToBuildWhateverP) {
  constexpr int kRanks = 1 << 18;
  const Shape shape{.collective = Collective::allreduce, .size = kRanks, .count = 1};
  const Algorithm& ring = algorithm(shape.collective, "ring");
  std::size_t steps = 0;
  for (Rank rank = 0; rank < kRanks; ++rank) steps += ring.build(shape, {}, rank).steps.size();
  EXPECT_EQ(steps, (2 + 1 + 2) * (std::size_t{kRanks} - 1));
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
