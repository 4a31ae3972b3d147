#include <gtest/gtest.h>

#include <cstddef>

#include "collectives/built.hpp"

namespace stretto {
namespace {

// Or floating-point results would differ from rank to rank.
TEST(AllreduceRecursiveDoubling, KeepsRankOrderEvenIfItNeedNot) {
  Shape shape{.collective = Collective::allreduce, .size = 6, .count = 4};
  const Schedules commutative = built("recursive_doubling", shape);
  shape.commutative = false;
  const Schedules ordered = built("recursive_doubling", shape);
  for (std::size_t rank = 0; rank < ordered.size(); ++rank) {
    ASSERT_EQ(commutative[rank].steps.size(), ordered[rank].steps.size());
    for (std::size_t i = 0; i < ordered[rank].steps.size(); ++i) {
      EXPECT_EQ(commutative[rank].steps[i].from, ordered[rank].steps[i].from);
      EXPECT_EQ(commutative[rank].steps[i].to, ordered[rank].steps[i].to);
    }
  }
}

TEST(AllreduceRecursiveDoubling, ExcessRanksAddTwoMessagesToThePath) {
  const Shape eight{.collective = Collective::allreduce, .size = 8, .count = 4};
  const Shape thirteen{.collective = Collective::allreduce, .size = 13, .count = 4};
  EXPECT_EQ(cost(built("recursive_doubling", eight)).rounds, 3);
  EXPECT_EQ(cost(built("recursive_doubling", thirteen)).rounds, 5);
}

}  // namespace
}  // namespace stretto
