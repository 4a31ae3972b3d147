#include <gtest/gtest.h>

#include "collectives/built.hpp"
#include "schedule/verify_layouts.hpp"

namespace stretto {
namespace {

TEST(ReduceScatterTwoLevel, OnlyOneRankOfAHostTalksToOthers) {
  const Layout layout = layout_of_places({{kHostLevel, {4}}}, 24, Placement::round_robin);
  const Partition& hosts = layout.find(kHostLevel)->groups();
  const Shape shape{.collective = Collective::reduce_scatter, .size = 24, .count = 3};
  for (const Schedule& rank : built("two_level", shape, layout)) {
    const bool is_first = hosts.number_of(rank.rank) == 0;
    for (const Step& step : steps_of(rank, StepKind::send)) {
      const bool leaves = hosts.group_of(step.peer) != hosts.group_of(rank.rank);
      EXPECT_TRUE(is_first || !leaves);
    }
  }
}

TEST(ReduceScatterTwoLevel, CarriesNoElementBetweenHostsTwice) {
  const Layout layout = layout_of_places({{kHostLevel, {4}}}, 32, Placement::in_order);
  const Shape shape{.collective = Collective::reduce_scatter, .size = 32, .count = 3};
  const auto between = [&](const char* name) {
    return cost(built(name, shape, layout), layout).levels.at(1).elements;
  };
  EXPECT_EQ(between("two_level"), 8 * (32 - 4) * 3);
  EXPECT_GE(between("recursive_halving"), 3 * between("two_level"));
}

}  // namespace
}  // namespace stretto
