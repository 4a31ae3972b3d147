#include <gtest/gtest.h>

#include "collectives/built.hpp"

namespace stretto {
namespace {

TEST(AllreduceRabenseifner, MovesAsLittleAsRingInLogarithmicallyManyMessages) {
  const Shape shape{.collective = Collective::allreduce, .size = 16, .count = 160};
  const Cost counted = cost(built("rabenseifner", shape));
  EXPECT_EQ(counted.max_sent, cost(built("ring", shape)).max_sent);
  EXPECT_EQ(counted.max_reduced, cost(built("ring", shape)).max_reduced);
  EXPECT_EQ(counted.max_messages, 8);
}

TEST(AllreduceRabenseifner, CopiesNothingWhereTheOperationCommutes) {
  for (const Schedule& rank :
       built("rabenseifner", {.collective = Collective::allreduce, .size = 13, .count = 80})) {
    EXPECT_EQ(number_of(rank, StepKind::copy), 0);
  }
}

TEST(AllreduceRabenseifner, LargestMessagesGoToTheNearestRank) {
  const Schedules ranks =
      built("rabenseifner", {.collective = Collective::allreduce, .size = 8, .count = 80});
  const Step first = steps_of(ranks[2], StepKind::send)[0];
  EXPECT_EQ(first.peer, 3);
  EXPECT_EQ(first.from.span.count, 40);
}

}  // namespace
}  // namespace stretto
