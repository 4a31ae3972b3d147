#include <gtest/gtest.h>

#include "collectives/built.hpp"

namespace stretto {
namespace {

TEST(ReduceChain, AllSegmentsAreInFlightAtOnce) {
  for (const Schedule& rank :
       built("chain",
             {.collective = Collective::reduce, .size = 5, .count = 10, .segment = 3, .root = 2})) {
    const auto receives = steps_of(rank, StepKind::recv);
    EXPECT_EQ(receives.size(), rank.rank == 1 ? 0 : 4);  // the far end, behind the root
    for (const Step& step : receives) EXPECT_TRUE(starts_at_once(step));
    for (const Step& step : steps_of(rank, StepKind::reduce)) EXPECT_EQ(step.waits, 1);
  }
}

TEST(ReduceChain, RankOrderCostsAMessageASegmentUnlessTheRootIsZero) {
  for (const Rank root : {0, 2}) {
    Shape shape{
        .collective = Collective::reduce, .size = 5, .count = 10, .segment = 3, .root = root};
    EXPECT_EQ(cost(built("chain", shape)).messages, 4 * 4);
    shape.commutative = false;
    EXPECT_EQ(cost(built("chain", shape)).messages, root == 0 ? 4 * 4 : 4 * 5);
  }
}

}  // namespace
}  // namespace stretto
