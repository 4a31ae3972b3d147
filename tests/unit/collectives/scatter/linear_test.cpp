#include <gtest/gtest.h>

#include "collectives/built.hpp"

namespace stretto {
namespace {

TEST(ScatterLinear, OnlyTheRootSendsAndNobodyForwards) {
  for (const Schedule& rank :
       built("linear", {.collective = Collective::scatter, .size = 7, .count = 5, .root = 3})) {
    EXPECT_EQ(number_of(rank, StepKind::send), rank.rank == 3 ? 6 : 0);
    EXPECT_EQ(rank.scratch, 0);
    for (const Step& step : rank.steps) EXPECT_TRUE(starts_at_once(step));
  }
}

}  // namespace
}  // namespace stretto
