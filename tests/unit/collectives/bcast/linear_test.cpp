#include <gtest/gtest.h>

#include "collectives/built.hpp"

namespace stretto {
namespace {

TEST(BcastLinear, NobodyButTheRootSends) {
  const Shape shape{.collective = Collective::bcast, .size = 9, .count = 5, .root = 4};
  for (const Schedule& rank : built("linear", shape)) {
    EXPECT_EQ(number_of(rank, StepKind::send), rank.rank == shape.root ? 8 : 0);
    EXPECT_EQ(number_of(rank, StepKind::recv), rank.rank == shape.root ? 0 : 1);
    for (const Step& step : rank.steps) EXPECT_TRUE(starts_at_once(step));
  }
}

}  // namespace
}  // namespace stretto
