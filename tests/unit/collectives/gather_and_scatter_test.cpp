// What gather and scatter have in common: a scatter is a gather with time reversed.
#include <gtest/gtest.h>

#include "collectives/built.hpp"

namespace stretto {
namespace {

struct Rooted {
  Collective collective;
  StepKind at_root;  // what the root does with blocks
};

class GatherAndScatter : public ::testing::TestWithParam<Rooted> {
 protected:
  static Shape shape_of(int size, Rank root) {
    return {.collective = GetParam().collective, .size = size, .count = 5, .root = root};
  }
};

TEST_P(GatherAndScatter, BinomialRootHasLogarithmicallyManyMessages) {
  EXPECT_EQ(number_of(built("binomial", shape_of(13, 6))[6], GetParam().at_root), 4);
}

TEST_P(GatherAndScatter, BinomialRootNeedsScratchOnlyWhereASubtreeWrapsAround) {
  EXPECT_EQ(built("binomial", shape_of(13, 0))[0].scratch, 0);
  EXPECT_EQ(built("binomial", shape_of(13, 12))[12].scratch, 0);  // between two subtrees
  EXPECT_EQ(built("binomial", shape_of(13, 6))[6].scratch, 4 * 5);
}

TEST_P(GatherAndScatter, LinearIsBetweenTheRootAndEachOtherRankInAnyOrder) {
  for (const Schedule& rank : built("linear", shape_of(7, 3))) {
    EXPECT_EQ(number_of(rank, GetParam().at_root), rank.rank == 3 ? 6 : 0);
    EXPECT_EQ(rank.scratch, 0);
    for (const Step& step : rank.steps) EXPECT_TRUE(starts_at_once(step));
  }
}

INSTANTIATE_TEST_SUITE_P(Both, GatherAndScatter,
                         ::testing::Values(Rooted{Collective::gather, StepKind::recv},
                                           Rooted{Collective::scatter, StepKind::send}));

}  // namespace
}  // namespace stretto
