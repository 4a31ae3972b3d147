#include <gtest/gtest.h>

#include "collectives/built.hpp"

namespace stretto {
namespace {

TEST(BarrierTree, SendsTwoMessagesForEveryRankButOne) {
  for (const int size : {1, 2, 3, 8, 13}) {
    EXPECT_EQ(cost(built("tree", {Collective::barrier, size})).messages, 2 * (size - 1));
  }
}

TEST(BarrierTree, ReleasesNobodyBeforeItHasHeardFromAll) {
  const Schedules ranks = built("tree", {Collective::barrier, 8});
  for (const Step& step : steps_of(ranks[0], StepKind::send)) EXPECT_EQ(step.waits, 3);
}

}  // namespace
}  // namespace stretto
