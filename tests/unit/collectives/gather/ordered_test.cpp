#include <gtest/gtest.h>

#include <algorithm>

#include "collectives/built.hpp"

namespace stretto {
namespace {

// Of the root's questions and receives the first two may begin at once; each other pair waits for
// the block before the last.
TEST(GatherOrdered, TwoSendersHaveTheirTurnAtATime) {
  for (int size = 2; size <= 9; ++size) {
    const auto all = built("ordered", {.collective = Collective::gather, .size = size, .count = 3});
    for (const StepKind kind : {StepKind::send, StepKind::recv}) {
      const auto steps = steps_of(all[0], kind);
      ASSERT_EQ(steps.size(), static_cast<std::size_t>(size - 1));
      EXPECT_EQ(std::ranges::count_if(steps, starts_at_once), std::min(size - 1, 2));
      EXPECT_TRUE(std::ranges::all_of(steps, [](const Step& each) { return each.waits <= 1; }));
    }
    for (int rank = 1; rank < size; ++rank) {
      const auto sends = steps_of(all[static_cast<std::size_t>(rank)], StepKind::send);
      ASSERT_EQ(sends.size(), 1U);
      EXPECT_EQ(sends.front().waits, 1);  // until it is asked
    }
  }
}

}  // namespace
}  // namespace stretto
