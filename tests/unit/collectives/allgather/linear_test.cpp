#include <gtest/gtest.h>

#include "collectives/built.hpp"

namespace stretto {
namespace {

TEST(AllgatherLinear, EveryMessageStartsAtOnce) {
  for (const Schedule& rank :
       built("linear", {.collective = Collective::allgather, .size = 6, .count = 4})) {
    EXPECT_EQ(number_of(rank, StepKind::send), 5);
    for (const Step& step : steps_of(rank, StepKind::send)) EXPECT_TRUE(starts_at_once(step));
    for (const Step& step : steps_of(rank, StepKind::recv)) EXPECT_TRUE(starts_at_once(step));
  }
}

}  // namespace
}  // namespace stretto
