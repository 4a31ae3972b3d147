#include <gtest/gtest.h>

#include "collectives/built.hpp"
#include "schedule/verify_layouts.hpp"

namespace stretto {
namespace {

TEST(ReduceTwoLevel, LeavesEachHostOnceToWhicheverRoot) {
  for (const Placement placement : {Placement::in_order, Placement::shuffled}) {
    const Layout layout = layout_of_places({{kHostLevel, {5, 1, 3}}}, 18, placement);
    for (Rank root = 0; root < 18; ++root) {
      const Shape shape{.collective = Collective::reduce, .size = 18, .count = 3, .root = root};
      const Cost all = cost(built("two_level", shape, layout), layout);
      ASSERT_EQ(all.levels.size(), 2U);
      EXPECT_EQ(all.levels[0].messages, 18 - 6);
      EXPECT_EQ(all.levels[1].messages, 6 - 1);
    }
  }
}

// Where order matters the sum comes together at rank 0, and goes to the root from there.
TEST(ReduceTwoLevel, TakesAnotherMessageToTheRootWhereOrderMatters) {
  const Layout layout = layout_of_places({{kHostLevel, {4}}}, 12, Placement::in_order);
  Shape shape{.collective = Collective::reduce, .size = 12, .count = 3, .root = 6};
  const Cost any = cost(built("two_level", shape, layout), layout);
  shape.commutative = false;
  const Cost ordered = cost(built("two_level", shape, layout), layout);
  EXPECT_EQ(ordered.messages, any.messages + 1);
  EXPECT_EQ(ordered.levels.at(1).messages, any.levels.at(1).messages + 1);
}

}  // namespace
}  // namespace stretto
