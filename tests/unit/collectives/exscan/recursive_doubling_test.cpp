#include <gtest/gtest.h>

#include "collectives/built.hpp"

namespace stretto {
namespace {

Shape shape_of(int size) { return {.collective = Collective::exscan, .size = size, .count = 3}; }

TEST(ExscanRecursiveDoubling, TakesAsManyRoundsAsTheSizeHasBits) {
  EXPECT_EQ(cost(built("recursive_doubling", shape_of(8))).rounds, 3);
  EXPECT_EQ(cost(built("recursive_doubling", shape_of(9))).rounds, 4);
}

TEST(ExscanRecursiveDoubling, RankZeroOnlySends) {
  const Schedules ranks = built("recursive_doubling", shape_of(9));
  EXPECT_EQ(number_of(ranks[0], StepKind::recv), 0);
  EXPECT_EQ(number_of(ranks[0], StepKind::send), 4);
}

}  // namespace
}  // namespace stretto
