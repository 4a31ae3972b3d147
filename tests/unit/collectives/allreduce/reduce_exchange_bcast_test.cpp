#include <gtest/gtest.h>

#include "collectives/built.hpp"

namespace stretto {
namespace {

TEST(AllreduceReduceExchangeBcast, OnlyFirstRanksTalkToTheOtherGroup) {
  constexpr int kFirstGroup = 3;
  const Shape shape{
      .collective = Collective::allreduce, .size = 8, .count = 4, .first_group = kFirstGroup};
  int crossing = 0;
  for (const Schedule& rank : built("reduce_exchange_bcast", shape)) {
    for (const Step& step : steps_of(rank, StepKind::send)) {
      const bool crosses = (rank.rank < kFirstGroup) != (step.peer < kFirstGroup);
      if (!crosses) continue;
      ++crossing;
      EXPECT_TRUE(rank.rank == 0 || rank.rank == kFirstGroup);
    }
  }
  EXPECT_EQ(crossing, 2);
}

}  // namespace
}  // namespace stretto
