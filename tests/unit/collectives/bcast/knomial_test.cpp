#include <gtest/gtest.h>

#include "collectives/built.hpp"

namespace stretto {
namespace {

Shape shape_of(int size, int radix) {
  return {.collective = Collective::bcast, .size = size, .count = 5, .radix = radix};
}

TEST(BcastKnomial, LevelsShrinkAsTheRadixGrows) {
  for (const int radix : {2, 3, 4, 8}) {
    for (const int size : {2, 9, 27, 64}) {
      EXPECT_LE(cost(built("knomial", shape_of(size, radix))).rounds,
                levels(size, radix) * (radix - 1));
    }
  }
  EXPECT_EQ(number_of(built("knomial", shape_of(64, 4))[0], StepKind::send), 3 * 3);
}

TEST(BcastKnomial, AsManyChildrenAsThereAreRanksMakeItFlat) {
  EXPECT_EQ(number_of(built("knomial", shape_of(13, 13))[0], StepKind::send), 12);
}

TEST(BcastKnomial, RadixTwoIsBinomial) {
  const Cost knomial = cost(built("knomial", shape_of(13, 2)));
  const Cost binomial = cost(built("binomial", shape_of(13, 2)));
  EXPECT_EQ(knomial.alpha, binomial.alpha);
  EXPECT_EQ(knomial.max_messages, binomial.max_messages);
}

}  // namespace
}  // namespace stretto
