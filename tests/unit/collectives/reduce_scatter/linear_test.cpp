#include <gtest/gtest.h>

#include "collectives/built.hpp"

namespace stretto {
namespace {

const Shape kShape{.collective = Collective::reduce_scatter, .size = 6, .count = 4};

TEST(ReduceScatterLinear, EveryMessageStartsAtOnce) {
  for (const Schedule& rank : built("linear", kShape)) {
    const auto sends = steps_of(rank, StepKind::send);
    const auto receives = steps_of(rank, StepKind::recv);
    EXPECT_EQ(sends.size(), 5U);
    EXPECT_EQ(receives.size(), 5U);
    for (const Step& step : sends) EXPECT_TRUE(starts_at_once(step));
    for (const Step& step : receives) EXPECT_TRUE(starts_at_once(step));
  }
}

TEST(ReduceScatterLinear, MovesNoElementTwice) {
  EXPECT_EQ(cost(built("linear", kShape)).elements, 6 * 5 * 4);
}

}  // namespace
}  // namespace stretto
