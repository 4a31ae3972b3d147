// The counted costs of schedules small enough to work out by hand. Those of the
// algorithms are compared with their head comments in tests/python.
#include "schedule/cost.hpp"

#include <gtest/gtest.h>

#include "schedule/small_schedules.hpp"

namespace stretto::testing {
namespace {

Cost cost_of(Build build, const Shape& shape) { return cost(build_all(build, shape)); }

TEST(Cost, OfAChainIsOneMessageAfterTheOther) {
  const Cost total = cost_of(chain_bcast, {.collective = Collective::bcast, .size = 4, .count = 6});
  EXPECT_EQ(total.messages, 3);
  EXPECT_EQ(total.elements, 18);
  EXPECT_EQ(total.rounds, 3);
  EXPECT_EQ(total.max_messages, 1);
  EXPECT_EQ(total.max_sent, 6);
  EXPECT_EQ(total.max_received, 6);
  EXPECT_DOUBLE_EQ(total.alpha, 3);
  EXPECT_DOUBLE_EQ(total.beta, 18);
  EXPECT_DOUBLE_EQ(total.gamma, 0);
}

// The root's messages depend on nothing, but it has one port to receive them with.
TEST(Cost, OfALinearGatherIsInTheRootsPort) {
  const Cost total =
      cost_of(linear_gather, {.collective = Collective::gather, .size = 5, .count = 2});
  EXPECT_EQ(total.rounds, 1);
  EXPECT_EQ(total.max_received, 8);
  EXPECT_DOUBLE_EQ(total.alpha, 4);
  EXPECT_DOUBLE_EQ(total.beta, 8);
}

TEST(Cost, CountsReductionsOnTheCriticalPath) {
  const Cost total =
      cost_of(chain_reduce, {.collective = Collective::reduce, .size = 4, .count = 3});
  EXPECT_EQ(total.max_reduced, 3);
  EXPECT_EQ(total.max_scratch, 3);
  EXPECT_DOUBLE_EQ(total.gamma, 9);
}

// Full duplex: both directions of an exchange at once.
TEST(Cost, OfAnExchangeIsOneMessage) {
  const Cost total =
      cost_of(pair_allreduce, {.collective = Collective::allreduce, .size = 2, .count = 3});
  EXPECT_EQ(total.messages, 2);
  EXPECT_DOUBLE_EQ(total.alpha, 1);
  EXPECT_DOUBLE_EQ(total.beta, 3);
}

TEST(Cost, IsCountedByLevelWhereThereIsALayout) {
  const Shape shape{.collective = Collective::bcast, .size = 4, .count = 6};
  const auto ranks = build_all(chain_bcast, shape);
  EXPECT_TRUE(cost(ranks).levels.empty());
  const Layout layout({{kSocketLevel, {0, 0, 1, 2}}, {kHostLevel, {0, 0, 0, 1}}});
  const Cost total = cost(ranks, layout);
  ASSERT_EQ(total.levels.size(), 3U);
  EXPECT_EQ(total.levels[2].level, "network");
  for (const LevelTraffic& each : total.levels) {
    EXPECT_EQ(each.messages, 1);
    EXPECT_EQ(each.elements, 6);
  }
}

TEST(Timeline, SaysWhenEachStepRuns) {
  const Shape shape{.collective = Collective::reduce, .size = 3, .count = 2};
  const auto ranks = build_all(chain_reduce, shape);
  const Timeline timeline = simulate(ranks, {.alpha = 1, .beta = 0.5, .gamma = 0.25});
  // Rank 2 sends in [0,2), rank 1 reduces in [2,2.5) and sends in [2.5,4.5).
  EXPECT_DOUBLE_EQ(timeline.ranks[1].at(1).start, 2);
  EXPECT_DOUBLE_EQ(timeline.ranks[1].at(2).start, 2.5);
  EXPECT_DOUBLE_EQ(timeline.ranks[0].at(0).end, 4.5);
  EXPECT_DOUBLE_EQ(timeline.end, 5);
}

TEST(Timeline, OfNoStepsEndsAtOnce) {
  EXPECT_DOUBLE_EQ(simulate(std::vector<Schedule>(1), {.alpha = 1}).end, 0);
}

}  // namespace
}  // namespace stretto::testing
