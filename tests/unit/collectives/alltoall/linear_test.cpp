#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "collectives/built.hpp"

namespace stretto {
namespace {

Shape shape_of(bool in_place) {
  return {.collective = Collective::alltoall, .size = 7, .count = 5, .in_place = in_place};
}

TEST(AlltoallLinear, NobodyWaitsForAnybody) {
  for (const Schedule& rank : built("linear", shape_of(false))) {
    EXPECT_EQ(number_of(rank, StepKind::send), 6);
    for (const Step& step : rank.steps) EXPECT_TRUE(starts_at_once(step));
    EXPECT_EQ(rank.scratch, 0);
  }
}

TEST(AlltoallLinear, InPlaceFirstSetsItsInputAside) {
  for (const Schedule& rank : built("linear", shape_of(true))) {
    // A block at a time, and one step that waits for all.
    EXPECT_EQ(number_of(rank, StepKind::copy), 8);
    EXPECT_EQ(rank.scratch, 7 * 5);
  }
}

TEST(AlltoallLinear, NoTwoRanksBeginWithTheSame) {
  std::vector<Rank> first;
  for (const Schedule& rank : built("linear", shape_of(false))) {
    first.push_back(steps_of(rank, StepKind::send)[0].peer);
  }
  std::ranges::sort(first);
  EXPECT_EQ(std::ranges::adjacent_find(first), first.end());
}

}  // namespace
}  // namespace stretto
