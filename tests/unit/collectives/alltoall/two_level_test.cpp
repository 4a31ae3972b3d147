#include <gtest/gtest.h>

#include "collectives/built.hpp"
#include "schedule/verify_layouts.hpp"

namespace stretto {
namespace {

Cost cost_on(int ranks, int ranks_a_host, Placement placement = Placement::in_order) {
  const Layout layout = layout_of_places({{kHostLevel, {ranks_a_host}}}, ranks, placement);
  const Shape shape{.collective = Collective::alltoall, .size = ranks, .count = 3};
  return cost(built("two_level", shape, layout), layout);
}

TEST(AlltoallTwoLevel, ExchangesOneMessageBetweenTwoHosts) {
  for (const Placement placement : {Placement::in_order, Placement::round_robin}) {
    const Cost all = cost_on(64, 4, placement);
    EXPECT_EQ(all.levels.at(1).messages, 16 * 15);
    EXPECT_EQ(all.levels.at(1).elements, 64 * 60 * 3);
  }
}

// Of two hosts' 32 ranks five stand for a part of the other host each.
TEST(AlltoallTwoLevel, SharesFewHostsOutAmongMoreRanks) {
  const Cost all = cost_on(64, 32);
  EXPECT_EQ(all.levels.at(1).messages, 2 * 5 * 5);
  EXPECT_EQ(all.levels.at(1).elements, 64 * 32 * 3);
}

TEST(AlltoallTwoLevel, HoldsAFewTimesARanksOwnBlocks) {
  for (const int ranks_a_host : {1, 2, 4, 8, 16}) {
    EXPECT_LE(cost_on(256, ranks_a_host).max_scratch, 6 * 256 * 3) << ranks_a_host;
  }
}

TEST(AlltoallTwoLevel, OnOneHostIsAMessageToEach) {
  const Cost all = cost_on(12, 12);
  EXPECT_EQ(all.messages, 12 * 11);
  EXPECT_EQ(all.levels.at(0).elements, 12 * 11 * 3);
}

}  // namespace
}  // namespace stretto
