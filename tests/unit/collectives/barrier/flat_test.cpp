#include <gtest/gtest.h>

#include "collectives/built.hpp"

namespace stretto {
namespace {

TEST(BarrierFlat, NoSignalWaitsForAnother) {
  for (const int size : {2, 3, 8, 13}) {
    for (const Schedule& rank : built("flat", {.collective = Collective::barrier, .size = size})) {
      EXPECT_EQ(number_of(rank, StepKind::send), size - 1);
      EXPECT_EQ(number_of(rank, StepKind::recv), size - 1);
      for (const Step& step : rank.steps) EXPECT_TRUE(starts_at_once(step));
    }
  }
}

}  // namespace
}  // namespace stretto
