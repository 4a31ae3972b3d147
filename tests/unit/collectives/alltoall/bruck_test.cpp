#include <gtest/gtest.h>

#include "collectives/built.hpp"

namespace stretto {
namespace {

Shape shape_of(int size) { return {.collective = Collective::alltoall, .size = size, .count = 5}; }

TEST(AlltoallBruck, LogarithmicallyManyMessagesForAnyNumberOfRanks) {
  for (const int size : {1, 2, 3, 8, 13}) {
    EXPECT_EQ(cost(built("bruck", shape_of(size))).max_messages, levels(size));
  }
}

TEST(AlltoallBruck, NeverSendsMoreThanHalfTheBlocksARound) {
  for (const int size : {2, 3, 8, 13}) {
    for (const Schedule& rank : built("bruck", shape_of(size))) {
      for (const Step& step : steps_of(rank, StepKind::send)) {
        EXPECT_LE(step.from.span.count, size / 2 * 5);
      }
    }
  }
}

}  // namespace
}  // namespace stretto
