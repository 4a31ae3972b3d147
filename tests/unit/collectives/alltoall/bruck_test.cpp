#include <gtest/gtest.h>

#include "collectives/built.hpp"

namespace stretto {
namespace {

TEST(AlltoallBruck, LogarithmicallyManyMessagesForAnyNumberOfRanks) {
  for (const int size : {1, 2, 3, 8, 13}) {
    EXPECT_EQ(cost(built("bruck", shape_of(Collective::alltoall, size))).max_messages,
              levels(size));
  }
}

TEST(AlltoallBruck, NeverSendsMoreThanHalfTheBlocksARound) {
  for (const int size : {2, 3, 8, 13}) {
    for (const Schedule& rank : built("bruck", shape_of(Collective::alltoall, size))) {
      for (const Step& step : steps_of(rank, StepKind::send)) {
        EXPECT_LE(step.from.span.count, size / 2 * 5);
      }
    }
  }
}

}  // namespace
}  // namespace stretto
