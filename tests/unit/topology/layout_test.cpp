#include "topology/layout.hpp"

#include <gtest/gtest.h>

#include "topology/machine.hpp"

namespace stretto {
namespace {

std::vector<Rank> members(const Partition& partition, int group) {
  std::vector<Rank> ranks;
  for (int i = 0; i < partition.size_of(group); ++i) {
    ranks.push_back(partition.members(group)[i]);
  }
  return ranks;
}

using Ranks = std::vector<Rank>;

TEST(Partition, NumbersGroupsByTheirLowestRanks) {
  for (const std::vector<int>& group_of :
       {std::vector{5, 5, 3, 9, 9, 9}, std::vector{5, 3, 5, 9, 3, 9}}) {
    const Partition groups(group_of);
    ASSERT_EQ(groups.groups(), 3);
    for (int group = 0; group < 3; ++group) {
      const Ranks ranks = members(groups, group);
      EXPECT_EQ(groups.firsts()[group], ranks.front());
      for (std::size_t i = 0; i < ranks.size(); ++i) {
        EXPECT_EQ(groups.group_of(ranks[i]), group);
        EXPECT_EQ(groups.number_of(ranks[i]), static_cast<int>(i));
        EXPECT_EQ(group_of[static_cast<std::size_t>(ranks[i])],
                  group_of[static_cast<std::size_t>(ranks.front())]);
      }
    }
  }
  EXPECT_EQ(members(Partition({5, 3, 5, 9, 3, 9}), 1), (Ranks{1, 4}));
  EXPECT_EQ(members(Partition({5, 5, 3, 9, 9, 9}), 2), (Ranks{3, 4, 5}));
}

TEST(Partition, TakesFourBytesAGroupWhereRanksFollowEachOther) {
  std::vector<int> in_blocks;
  for (int rank = 0; rank < 100'000; ++rank) in_blocks.push_back(rank / 100);
  EXPECT_LE(Partition(in_blocks).bytes(), 2 * 4 * 1000U);
}

TEST(Layout, IsCutIntoRunsWhereRanksDoNotFollowEachOther) {
  const Layout layout({{kHostLevel, {4, 4, 2, 4, 2, 2}}});
  const LayoutLevel& hosts = *layout.find(kHostLevel);
  EXPECT_EQ(members(hosts.groups(), 0), (Ranks{0, 1, 3}));
  ASSERT_EQ(hosts.runs().groups(), 4);
  EXPECT_EQ(members(hosts.runs(), 0), (Ranks{0, 1}));
  EXPECT_EQ(members(hosts.runs(), 3), (Ranks{4, 5}));
  const Layout in_order({{kHostLevel, {1, 1, 0}}});
  EXPECT_EQ(&in_order.levels()[0].runs(), &in_order.levels()[0].groups());
}

TEST(Layout, HasGroupsWithinGroups) {
  // Sockets of one number are of each host.
  const Layout layout({{kSocketLevel, {0, 1, 0, 1}}, {kHostLevel, {0, 0, 1, 1}}});
  EXPECT_EQ(layout.find(kSocketLevel)->groups().groups(), 4);
  EXPECT_EQ(layout.level_between(0, 1), 1U);
  EXPECT_EQ(layout.level_between(0, 2), 2U);
  EXPECT_EQ(layout.level_between(3, 3), 0U);
  EXPECT_EQ(layout.find("rack"), nullptr);
  EXPECT_EQ(Layout().level_between(0, 1), 0U);
}

TEST(Layout, IsTheSameWhateverTheNumbersOfItsGroups) {
  const Layout layout({{kHostLevel, {3, 1, 3}}});
  const Layout same({{kHostLevel, {0, 8, 0}}});
  EXPECT_EQ(layout, same);
  EXPECT_EQ(layout.hash(), same.hash());
  EXPECT_NE(layout, Layout({{kHostLevel, {3, 3, 1}}}));
  EXPECT_NE(layout, Layout({{kSocketLevel, {3, 1, 3}}}));
  EXPECT_NE(layout.hash(), Layout({{kHostLevel, {3, 3, 1}}}).hash());
}

TEST(Layout, OfAMachineIsWhereItsRanksAre) {
  Machine machine{.levels = {{.name = kSocketLevel, .ranks = 2},
                             {.name = kHostLevel, .ranks = 4},
                             {.name = "network"}}};
  EXPECT_EQ(layout_of(machine, 6),
            Layout({{kSocketLevel, {0, 0, 1, 1, 2, 2}}, {kHostLevel, {0, 0, 0, 0, 1, 1}}}));
  machine.places = {9, 0, 8, 1};
  EXPECT_EQ(layout_of(machine, 4),
            Layout({{kSocketLevel, {0, 1, 0, 1}}, {kHostLevel, {0, 1, 0, 1}}}));
}

// As the engine knows it, too: else each rank were a host of its own for what asks for hosts.
TEST(Layout, OfAMachineThatIsOneHostHasThat) {
  const Machine machine{.levels = {{.name = kSocketLevel, .ranks = 2}, {.name = kHostLevel}}};
  EXPECT_EQ(layout_of(machine, 4),
            Layout({{kSocketLevel, {0, 0, 1, 1}}, {kHostLevel, {0, 0, 0, 0}}}));
}

TEST(RankMap, HasRanksInARowOrOfAList) {
  const Ranks list{4, 7, 2};
  EXPECT_EQ(RankMap()[3], 3);
  EXPECT_EQ(RankMap::from(5)[3], 8);
  EXPECT_EQ(RankMap::of(list.data())[1], 7);
  const RankMap map = RankMap::of(list.data()).with(1, 9);
  EXPECT_EQ(map[0], 4);
  EXPECT_EQ(map[1], 9);
}

}  // namespace
}  // namespace stretto
