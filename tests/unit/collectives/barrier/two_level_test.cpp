#include <gtest/gtest.h>

#include "collectives/built.hpp"
#include "schedule/verify_layouts.hpp"

namespace stretto {
namespace {

TEST(BarrierTwoLevel, SignalsBetweenHostsFromOneRankOfEach) {
  const Layout layout = layout_of_places({{kHostLevel, {5, 1, 2}}}, 24, Placement::shuffled);
  const Cost all =
      cost(built("two_level", {.collective = Collective::barrier, .size = 24}, layout), layout);
  ASSERT_EQ(all.levels.size(), 2U);
  EXPECT_EQ(all.levels[0].messages, 2 * (24 - 9));  // up the trees and down
  EXPECT_EQ(all.levels[1].messages, 9 * levels(9));
}

TEST(BarrierTwoLevel, WithoutHostsIsDissemination) {
  const Shape shape{.collective = Collective::barrier, .size = 11};
  EXPECT_EQ(cost(built("two_level", shape)).messages, cost(built("dissemination", shape)).messages);
}

}  // namespace
}  // namespace stretto
