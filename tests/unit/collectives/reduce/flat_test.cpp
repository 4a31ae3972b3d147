#include <gtest/gtest.h>

#include "collectives/built.hpp"

namespace stretto {
namespace {

TEST(ReduceFlat, OnlyTheRootGetsAnything) {
  const auto all =
      built("flat", {.collective = Collective::reduce, .size = 7, .count = 5, .root = 3});
  for (const Schedule& rank : all) {
    EXPECT_EQ(number_of(rank, StepKind::recv), rank.rank == 3 ? 6 : 0);
    EXPECT_EQ(number_of(rank, StepKind::reduce), rank.rank == 3 ? 6 : 0);
    EXPECT_EQ(number_of(rank, StepKind::send), rank.rank == 3 ? 0 : 1);
  }
}

TEST(ReduceFlat, TheResultIsComputedWhereItBelongsUnlessAnOperandLiesThere) {
  Shape shape{.collective = Collective::reduce, .size = 4, .count = 5, .root = 1};
  EXPECT_EQ(built("flat", shape)[1].steps.back().to.buffer, Buffer::recv);
  EXPECT_EQ(number_of(built("flat", shape)[1], StepKind::copy), 0);
  shape.in_place = true;
  EXPECT_EQ(number_of(built("flat", shape)[1], StepKind::copy), 1);
}

}  // namespace
}  // namespace stretto
