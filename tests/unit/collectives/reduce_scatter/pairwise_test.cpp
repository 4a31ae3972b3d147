#include <gtest/gtest.h>

#include "collectives/built.hpp"

namespace stretto {
namespace {

const Shape kPairwiseShape{.collective = Collective::reduce_scatter, .size = 6, .count = 4};

TEST(ReduceScatterPairwise, MovesNoElementTwice) {
  EXPECT_EQ(cost(built("pairwise", kPairwiseShape)).elements, 6 * 5 * 4);
}

TEST(ReduceScatterPairwise, KeepsTwoBlocksWhateverTheNumberOfRanks) {
  for (const Schedule& rank : built("pairwise", kPairwiseShape)) EXPECT_EQ(rank.scratch, 2 * 4);
}

TEST(ReduceScatterPairwise, DeclaresItselfCommutativeOnly) {
  EXPECT_FALSE(find_algorithm(Collective::reduce_scatter, "pairwise")->keeps_rank_order);
}

}  // namespace
}  // namespace stretto
