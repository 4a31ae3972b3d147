#include <gtest/gtest.h>

#include "collectives/built.hpp"

namespace stretto {
namespace {

TEST(AllgatherRecursiveDoubling, MessagesDoubleInLength) {
  const Schedules ranks = built("recursive_doubling", shape_of(Collective::allgather, 8));
  const auto sends = steps_of(ranks[5], StepKind::send);
  ASSERT_EQ(sends.size(), 3);
  EXPECT_EQ(sends[0].from.span, (Span{25, 5}));
  EXPECT_EQ(sends[1].from.span, (Span{20, 10}));
  EXPECT_EQ(sends[2].from.span, (Span{20, 20}));
}

TEST(AllgatherRecursiveDoubling, ExcessRanksGetTheWholeResultInOneMessage) {
  const Schedules ranks = built("recursive_doubling", shape_of(Collective::allgather, 11));
  const auto receives = steps_of(ranks[0], StepKind::recv);
  ASSERT_EQ(receives.size(), 1);
  EXPECT_EQ(receives[0].to.span, (Span{0, 55}));
}

TEST(AllgatherRecursiveDoubling, NeedsNoScratch) {
  EXPECT_EQ(cost(built("recursive_doubling", shape_of(Collective::allgather, 11))).max_scratch, 0);
}

}  // namespace
}  // namespace stretto
