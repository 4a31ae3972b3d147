#include <gtest/gtest.h>

#include "collectives/built.hpp"

namespace stretto {
namespace {

Shape shape_of(Rank root) {
  return {.collective = Collective::scatter, .size = 13, .count = 5, .root = root};
}

TEST(ScatterBinomial, TheRootSendsLogarithmicallyManyMessages) {
  EXPECT_EQ(number_of(built("binomial", shape_of(6))[6], StepKind::send), 4);
}

TEST(ScatterBinomial, TheRootNeedsScratchOnlyWhereASubtreeWrapsAround) {
  EXPECT_EQ(built("binomial", shape_of(0))[0].scratch, 0);
  EXPECT_EQ(built("binomial", shape_of(12))[12].scratch, 0);  // between two subtrees
  EXPECT_EQ(built("binomial", shape_of(6))[6].scratch, 4 * 5);
}

TEST(ScatterBinomial, LeavesReceiveTheirBlockWhereItBelongs) {
  const Schedule leaf = built("binomial", shape_of(0))[7];
  ASSERT_EQ(leaf.steps.size(), 1);
  EXPECT_EQ(leaf.steps[0].to.buffer, Buffer::recv);
}

}  // namespace
}  // namespace stretto
