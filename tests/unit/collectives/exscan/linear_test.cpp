#include <gtest/gtest.h>

#include "collectives/built.hpp"

namespace stretto {
namespace {

const Shape kShape{.collective = Collective::exscan, .size = 5, .count = 12, .segment = 4};

TEST(ExscanLinear, PassesEachSegmentOnFromRankToRank) {
  const Schedules ranks = built("linear", kShape);
  for (Rank rank = 0; rank < 5; ++rank) {
    const Schedule& steps = ranks[static_cast<std::size_t>(rank)];
    for (const Step& step : steps_of(steps, StepKind::send)) EXPECT_EQ(step.peer, rank + 1);
    EXPECT_EQ(number_of(steps, StepKind::send), rank < 4 ? 3 : 0);
    EXPECT_EQ(number_of(steps, StepKind::recv), rank > 0 ? 3 : 0);
  }
}

TEST(ExscanLinear, SegmentsFollowEachOther) {
  EXPECT_EQ(cost(built("linear", kShape)).alpha, 4 + 2);
}

}  // namespace
}  // namespace stretto
