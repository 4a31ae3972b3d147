#include <gtest/gtest.h>

#include "collectives/built.hpp"
#include "schedule/verify_layouts.hpp"

namespace stretto {
namespace {

TEST(ScatterTwoLevel, ComesToEachHostOnceWhicheverTheRoot) {
  for (const Placement placement : {Placement::in_order, Placement::shuffled}) {
    const Layout layout = layout_of_places({{kHostLevel, {5, 1, 3}}}, 18, placement);
    for (Rank root = 0; root < 18; ++root) {
      const Shape shape{.collective = Collective::scatter, .size = 18, .count = 3, .root = root};
      const Cost all = cost(built("two_level", shape, layout), layout);
      ASSERT_EQ(all.levels.size(), 2U);
      EXPECT_EQ(all.levels[0].messages, 18 - 6);
      EXPECT_EQ(all.levels[1].messages, 6 - 1);
    }
  }
}

// Where blocks that travel together lie together, too.
TEST(ScatterTwoLevel, PutsNothingInOrderAtARootWhoseHostsAreInBlocks) {
  const Layout layout = layout_of_places({{kHostLevel, {4}}}, 16, Placement::in_order);
  const Shape shape{.collective = Collective::scatter, .size = 16, .count = 3};
  EXPECT_EQ(built("two_level", shape, layout)[0].scratch, 0);
}

}  // namespace
}  // namespace stretto
