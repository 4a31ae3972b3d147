#include <gtest/gtest.h>

#include "collectives/built.hpp"

namespace stretto {
namespace {

Shape shape_of(int size, bool commutative) {
  return {.collective = Collective::reduce_scatter,
          .size = size,
          .count = 4,
          .commutative = commutative};
}

TEST(ReduceScatterRecursiveHalving, TakesOneMessageAHalving) {
  for (const Schedule& rank : built("recursive_halving", shape_of(8, true))) {
    EXPECT_EQ(number_of(rank, StepKind::send), 3);
  }
}

// In rank order the nearest come first, and blocks end up where their number's bits say
// backwards: of eight ranks 0, 2, 5 and 7 have their own.
TEST(ReduceScatterRecursiveHalving, InRankOrderSomeBlocksHaveToGoHome) {
  const Schedules ranks = built("recursive_halving", shape_of(8, false));
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    const bool at_home = rank == 0 || rank == 2 || rank == 5 || rank == 7;
    EXPECT_EQ(number_of(ranks[rank], StepKind::send), at_home ? 3 : 4) << rank;
  }
}

TEST(ReduceScatterRecursiveHalving, RanksInExcessOnlyTalkToTheirPartner) {
  const Schedules ranks = built("recursive_halving", shape_of(6, true));
  for (const std::size_t folded : {0U, 2U}) {
    EXPECT_EQ(number_of(ranks[folded], StepKind::send), 1);
    EXPECT_EQ(number_of(ranks[folded], StepKind::recv), 1);
  }
}

}  // namespace
}  // namespace stretto
