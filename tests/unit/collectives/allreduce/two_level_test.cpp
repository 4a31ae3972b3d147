#include <gtest/gtest.h>

#include "collectives/built.hpp"
#include "schedule/verify_layouts.hpp"

namespace stretto {
namespace {

const Shape kShape{.collective = Collective::allreduce, .size = 12, .count = 3};

TEST(AllreduceTwoLevel, OnlyOneRankOfAHostTalksToOthers) {
  const Layout layout = layout_of_places({{kHostLevel, {4}}}, kShape.size, Placement::round_robin);
  const Partition& hosts = layout.find(kHostLevel)->groups();
  for (const Schedule& rank : built("two_level", kShape, layout)) {
    const bool is_first = hosts.number_of(rank.rank) == 0;
    for (const Step& step : steps_of(rank, StepKind::send)) {
      const bool leaves = hosts.group_of(step.peer) != hosts.group_of(rank.rank);
      EXPECT_TRUE(is_first || !leaves);
    }
  }
}

TEST(AllreduceTwoLevel, CrossesHalfAsOftenWhereTwoRanksShareAHost) {
  const auto crossing = [](const char* name) {
    const Layout layout = layout_of_places({{kHostLevel, {2}}}, 16, Placement::shuffled);
    const Shape shape{.collective = Collective::allreduce, .size = 16, .count = 3};
    return cost(built(name, shape, layout), layout).levels.at(1).messages;
  };
  EXPECT_EQ(crossing("two_level"), 8 * 3);
  EXPECT_GT(crossing("recursive_doubling"), 2 * 8 * 3);
}

// Of ranks that are dealt round the hosts no two neighbours share one.
TEST(AllreduceTwoLevel, GoesRankByRankWhereOrderMattersAndHostsHaveNone) {
  Shape shape = kShape;
  shape.commutative = false;
  const Layout layout = layout_of_places({{kHostLevel, {4}}}, shape.size, Placement::round_robin);
  const Schedules flat = built("recursive_doubling", shape);
  const Schedules two_level = built("two_level", shape, layout);
  EXPECT_EQ(cost(two_level).messages, cost(flat).messages);
  EXPECT_EQ(cost(two_level).rounds, cost(flat).rounds);
}

TEST(AllreduceTwoLevel, WithoutHostsIsAllreduceOfAll) {
  EXPECT_EQ(cost(built("two_level", kShape)).messages,
            cost(built("recursive_doubling", kShape)).messages);
}

// While a segment is between the hosts the next ones are added up on them.
TEST(AllreduceTwoLevel, HasSeveralSegmentsUnderWay) {
  const Layout layout = layout_of_places({{kHostLevel, {4}}}, 16, Placement::in_order);
  Shape shape{.collective = Collective::allreduce, .size = 16, .count = 64};
  const Cost whole = cost(built("two_level", shape, layout));
  shape.segment = 4;
  const Cost cut = cost(built("two_level", shape, layout));
  EXPECT_LT(cut.beta, 0.8 * whole.beta);
  EXPECT_EQ(cut.max_scratch, whole.max_scratch);
}

}  // namespace
}  // namespace stretto
