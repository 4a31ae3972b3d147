// What scan and exscan have in common: only what a rank does with its own vector differs.
#include <gtest/gtest.h>

#include "collectives/built.hpp"

namespace stretto {
namespace {

class ScanAndExscan : public ::testing::TestWithParam<Collective> {
 protected:
  static Shape segmented() {
    return {.collective = GetParam(), .size = 5, .count = 12, .segment = 4};
  }
  static Shape whole(int size) { return {.collective = GetParam(), .size = size, .count = 3}; }
};

TEST_P(ScanAndExscan, LinearPassesEachSegmentOnFromRankToRank) {
  const Schedules ranks = built("linear", segmented());
  for (Rank rank = 0; rank < 5; ++rank) {
    const Schedule& steps = ranks[static_cast<std::size_t>(rank)];
    for (const Step& step : steps_of(steps, StepKind::send)) EXPECT_EQ(step.peer, rank + 1);
    EXPECT_EQ(number_of(steps, StepKind::send), rank < 4 ? 3 : 0);
    EXPECT_EQ(number_of(steps, StepKind::recv), rank > 0 ? 3 : 0);
  }
}

TEST_P(ScanAndExscan, LinearSegmentsFollowEachOther) {
  EXPECT_EQ(cost(built("linear", segmented())).alpha, 4 + 2);
}

TEST_P(ScanAndExscan, RecursiveDoublingTakesAsManyRoundsAsTheSizeHasBits) {
  EXPECT_EQ(cost(built("recursive_doubling", whole(8))).rounds, 3);
  EXPECT_EQ(cost(built("recursive_doubling", whole(9))).rounds, 4);
}

TEST_P(ScanAndExscan, RankZeroOfRecursiveDoublingOnlySends) {
  const Schedules ranks = built("recursive_doubling", whole(9));
  EXPECT_EQ(number_of(ranks[0], StepKind::recv), 0);
  EXPECT_EQ(number_of(ranks[0], StepKind::send), 4);
}

INSTANTIATE_TEST_SUITE_P(Both, ScanAndExscan,
                         ::testing::Values(Collective::scan, Collective::exscan));

}  // namespace
}  // namespace stretto
