#include <gtest/gtest.h>

#include "collectives/built.hpp"
#include "schedule/verify_layouts.hpp"

namespace stretto {
namespace {

TEST(BcastTwoLevel, ComesToEachHostOnceFromWhicheverRoot) {
  for (const Placement placement : {Placement::in_order, Placement::shuffled}) {
    const Layout layout = layout_of_places({{kHostLevel, {5, 1, 3}}}, 18, placement);
    for (Rank root = 0; root < 18; ++root) {
      const Shape shape{.collective = Collective::bcast, .size = 18, .count = 3, .root = root};
      const Cost all = cost(built("two_level", shape, layout), layout);
      ASSERT_EQ(all.levels.size(), 2U);
      EXPECT_EQ(all.levels[0].level, kHostLevel);
      EXPECT_EQ(all.levels[0].messages, 18 - 6);
      EXPECT_EQ(all.levels[1].messages, 6 - 1);
      EXPECT_EQ(all.levels[1].elements, 3 * (6 - 1));
    }
  }
}

TEST(BcastTwoLevel, SendsAnUnneededMessageFromNoRoot) {
  const Layout layout = layout_of_places({{kHostLevel, {4}}}, 8, Placement::in_order);
  const Shape shape{.collective = Collective::bcast, .size = 8, .count = 3, .root = 6};
  const Schedules ranks = built("two_level", shape, layout);
  EXPECT_EQ(number_of(ranks[6], StepKind::send), 3);
  EXPECT_EQ(number_of(ranks[6], StepKind::recv), 0);
}

// The root sends to seven hosts itself instead of to three.
TEST(BcastTwoLevel, ReachesHostsInFewerRoundsWithALargerRadix) {
  const Layout layout = layout_of_places({{kHostLevel, {4}}}, 32, Placement::in_order);
  Shape shape{.collective = Collective::bcast, .size = 32, .count = 3};
  EXPECT_EQ(number_of(built("two_level", shape, layout)[0], StepKind::send), 3 + 2);
  shape.radix = 8;
  EXPECT_EQ(number_of(built("two_level", shape, layout)[0], StepKind::send), 7 + 2);
}

}  // namespace
}  // namespace stretto
