#include <gtest/gtest.h>

#include "collectives/built.hpp"

namespace stretto {
namespace {

Shape shape_of(int size, Rank root) {
  return {.collective = Collective::reduce, .size = size, .count = 5, .root = root};
}

TEST(ReduceBinomial, NoChildWaitsForAnother) {
  for (const Schedule& rank : built("binomial", shape_of(13, 4))) {
    for (const Step& step : steps_of(rank, StepKind::recv)) EXPECT_TRUE(starts_at_once(step));
  }
}

TEST(ReduceBinomial, RankOrderCostsOneMessageUnlessTheRootIsZero) {
  for (const Rank root : {0, 1, 7}) {
    Shape shape = shape_of(8, root);
    EXPECT_EQ(cost(built("binomial", shape)).messages, 7);
    shape.commutative = false;
    EXPECT_EQ(cost(built("binomial", shape)).messages, root == 0 ? 7 : 8);
  }
}

TEST(ReduceBinomial, TheResultIsComputedWhereItBelongs) {
  const Schedules ranks = built("binomial", shape_of(8, 3));
  for (const Schedule& rank : ranks) EXPECT_EQ(number_of(rank, StepKind::copy), 0);
  EXPECT_EQ(ranks[3].steps.back().to.buffer, Buffer::recv);
}

}  // namespace
}  // namespace stretto
