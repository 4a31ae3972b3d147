#include <gtest/gtest.h>

#include "collectives/built.hpp"

namespace stretto {
namespace {

TEST(AlltoallPairwise, HasOneMessageInAndOneOutAtATime) {
  for (const Schedule& rank :
       built("pairwise", {.collective = Collective::alltoall, .size = 7, .count = 5})) {
    bool first = true;
    for (const Step& step : steps_of(rank, StepKind::send)) {
      EXPECT_EQ(step.waits, first ? 0 : 2);
      first = false;
    }
    EXPECT_EQ(number_of(rank, StepKind::recv), 6);
  }
}

}  // namespace
}  // namespace stretto
