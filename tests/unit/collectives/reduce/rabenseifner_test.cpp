#include <gtest/gtest.h>

#include "collectives/built.hpp"

namespace stretto {
namespace {

TEST(ReduceRabenseifner, SharesTheAdditionsOut) {
  for (const Schedule& rank :
       built("rabenseifner", {.collective = Collective::reduce, .size = 8, .count = 80})) {
    Count reduced = 0;
    for (const Step& step : steps_of(rank, StepKind::reduce)) reduced += step.to.span.count;
    EXPECT_EQ(reduced, 70);
  }
}

TEST(ReduceRabenseifner, AnyRootTakesPartAndRanksFoldedAwayOnlySendOnce) {
  for (Rank root = 0; root < 6; ++root) {
    const Schedules ranks = built(
        "rabenseifner", {.collective = Collective::reduce, .size = 6, .count = 12, .root = root});
    int folded_away = 0;
    for (const Schedule& rank : ranks) {
      if (number_of(rank, StepKind::recv) > 0) continue;
      ++folded_away;
      EXPECT_NE(rank.rank, root);
      EXPECT_EQ(rank.steps.size(), 1);
    }
    EXPECT_EQ(folded_away, 2);
  }
}

TEST(ReduceRabenseifner, CopiesNothingWhereTheOperationCommutes) {
  for (const Schedule& rank :
       built("rabenseifner", {.collective = Collective::reduce, .size = 8, .count = 80})) {
    EXPECT_EQ(number_of(rank, StepKind::copy), 0);
  }
}

}  // namespace
}  // namespace stretto
