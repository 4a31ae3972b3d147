#include <gtest/gtest.h>

#include <algorithm>

#include "collectives/built.hpp"

namespace stretto {
namespace {

TEST(AllreduceLinear, SendsEachOtherRankTwoBlocks) {
  for (const int size : {1, 2, 3, 8, 13}) {
    const Cost counted = cost(
        built("linear", {.collective = Collective::allreduce, .size = size, .count = 10 * size}));
    EXPECT_EQ(counted.max_messages, 2 * (size - 1));
    EXPECT_EQ(counted.max_sent, 2 * (size - 1) * 10);
  }
}

// Of three elements among eight ranks five ranks add nothing, and send none of it.
TEST(AllreduceLinear, OfFewElementsFewRanksAddUp) {
  const Shape shape{.collective = Collective::allreduce, .size = 8, .count = 3};
  const auto all = built("linear", shape);
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    EXPECT_EQ(number_of(all[rank], StepKind::reduce), rank < 3 ? 7 : 0);
    EXPECT_EQ(number_of(all[rank], StepKind::send), rank < 3 ? 2 + 7 : 3);
  }
}

// Steps that copy elements: one that copies none stands for what it waits for.
std::ptrdiff_t copies(const Schedule& rank) {
  return std::ranges::count_if(rank.steps, [](const Step& step) {
    return step.kind == StepKind::copy && step.from.span.count > 0;
  });
}

TEST(AllreduceLinear, AddsUpWhereTheResultIsWanted) {
  Shape shape{.collective = Collective::allreduce, .size = 5, .count = 50};
  for (const Schedule& rank : built("linear", shape)) EXPECT_EQ(copies(rank), 1);  // its own part
  shape.in_place = true;
  for (const Schedule& rank : built("linear", shape)) EXPECT_EQ(copies(rank), 0);
  // The last rank's part takes the sum in, and in place it must not come over what is to be sent.
  shape.commutative = false;
  const auto all = built("linear", shape);
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    EXPECT_EQ(copies(all[rank]), rank + 1 < all.size() ? 1 : 0);
  }
}

}  // namespace
}  // namespace stretto
