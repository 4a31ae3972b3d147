#include <gtest/gtest.h>

#include "collectives/built.hpp"

namespace stretto {
namespace {

TEST(AllreduceFlat, IsOneRoundOfWholeVectors) {
  for (const int size : {2, 3, 8, 13}) {
    const Cost counted =
        cost(built("flat", {.collective = Collective::allreduce, .size = size, .count = 10}));
    EXPECT_EQ(counted.max_messages, size - 1);
    EXPECT_EQ(counted.max_sent, 10 * (size - 1));
    EXPECT_EQ(counted.rounds, 1);
  }
}

// From the last rank's down, whoever does so: so all have the same bits.
TEST(AllreduceFlat, AllAddInTheSameOrder) {
  const auto all = built("flat", {.collective = Collective::allreduce, .size = 5, .count = 10});
  for (const Schedule& rank : all) {
    const auto sums = steps_of(rank, StepKind::reduce);
    ASSERT_EQ(sums.size(), 4);
    for (std::size_t i = 0; i < sums.size(); ++i) {
      const Rank operand = 3 - static_cast<Rank>(i);
      const bool is_own = operand == rank.rank;
      EXPECT_EQ(sums[i].from.buffer, is_own ? Buffer::send : Buffer::scratch);
      EXPECT_EQ(sums[i].from.span.offset, is_own ? 0 : 10 * operand);
    }
  }
}

}  // namespace
}  // namespace stretto
