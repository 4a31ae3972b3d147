// What ranks know of their cores, and the layouts that come of it.
#include "topology/core_numbers.hpp"

#include <gtest/gtest.h>

#include <string>

namespace stretto {
namespace {

constexpr std::uint16_t kUnknown = CoreGroups::kUnknown;

HostNumbers hosts_of(const std::vector<std::uint64_t>& names) {
  HostWords words = make_host_words(names.size());
  std::ranges::copy(names, words.get());
  return number_hosts(std::move(words), names.size());
}

std::vector<int> groups_at(const Layout& layout, std::string_view name, int ranks) {
  const LayoutLevel* const level = layout.find(name);
  std::vector<int> groups;
  for (Rank rank = 0; level != nullptr && rank < ranks; ++rank) {
    groups.push_back(level->groups().group_of(rank));
  }
  return groups;
}

using Groups = std::vector<int>;

TEST(CoreNumbers, AreWhatEachRankKnows) {
  const std::vector<CoreGroups> ranks{{0, 0}, {8, 0}, {kUnknown, 16}, {8, 0}};
  const CoreNumbers numbers(ranks);
  for (Rank rank = 0; rank < 4; ++rank) {
    EXPECT_EQ(numbers.of(rank), ranks[static_cast<std::size_t>(rank)]);
  }
  EXPECT_EQ(CoreNumbers(std::vector<CoreGroups>(3, {8, 4})).of(2), (CoreGroups{8, 4}));
  EXPECT_EQ(CoreNumbers().of(7), CoreGroups{});
}

TEST(CoreNumbers, AreNoneWhereAByteDoesNotTellThemApart) {
  std::vector<CoreGroups> ranks;
  for (std::uint16_t core = 0; core < 256; ++core) ranks.push_back({core, 0});
  EXPECT_EQ(CoreNumbers(ranks).of(255), (CoreGroups{255, 0}));
  ranks.push_back({256, 0});
  EXPECT_EQ(CoreNumbers(ranks).of(0), CoreGroups{});
}

// Two hosts, of two sockets with two complexes each.
const std::vector<std::uint64_t> kNames{7, 7, 7, 7, 9, 9, 9, 9};
const std::vector<CoreGroups> kCores{{0, 0}, {4, 0}, {8, 8}, {8, 8},
                                     {0, 0}, {0, 0}, {8, 8}, {8, 8}};
const std::vector<Rank> kAll{0, 1, 2, 3, 4, 5, 6, 7};

TEST(Layout, OfRanksHasTheGroupsThatTheyKnow) {
  const Layout layout = layout_of(hosts_of(kNames), CoreNumbers(kCores), kAll);
  EXPECT_EQ(groups_at(layout, kCoreComplexLevel, 8), (Groups{0, 1, 2, 2, 3, 3, 4, 4}));
  EXPECT_EQ(groups_at(layout, kSocketLevel, 8), (Groups{0, 0, 1, 1, 2, 2, 3, 3}));
  EXPECT_EQ(groups_at(layout, kHostLevel, 8), (Groups{0, 0, 0, 0, 1, 1, 1, 1}));
}

TEST(Layout, OfSomeRanksIsInTheirOrder) {
  const std::vector<Rank> some{6, 1, 7, 0};
  const Layout layout = layout_of(hosts_of(kNames), CoreNumbers(kCores), some);
  EXPECT_EQ(groups_at(layout, kHostLevel, 4), (Groups{0, 1, 0, 1}));
  EXPECT_EQ(groups_at(layout, kCoreComplexLevel, 4), (Groups{0, 1, 0, 2}));
  EXPECT_EQ(layout.find(kSocketLevel), nullptr);  // there it would say what the hosts do
}

TEST(Layout, TakesWhatOneRankDoesNotKnowAsIfItsHostHadNoSuchLevel) {
  std::vector<CoreGroups> cores = kCores;
  cores[3].core_complex = kUnknown;
  const HostNumbers hosts = hosts_of(kNames);
  Layout layout = layout_of(hosts, CoreNumbers(cores), kAll);
  EXPECT_EQ(layout.find(kCoreComplexLevel), nullptr);  // on the other host they are the sockets
  EXPECT_EQ(groups_at(layout, kSocketLevel, 8), (Groups{0, 0, 1, 1, 2, 2, 3, 3}));
  cores[5].core_complex = 4;
  cores[1].socket = kUnknown;
  layout = layout_of(hosts, CoreNumbers(cores), kAll);
  EXPECT_EQ(groups_at(layout, kCoreComplexLevel, 8), (Groups{0, 0, 0, 0, 1, 2, 3, 3}));
  EXPECT_EQ(groups_at(layout, kSocketLevel, 8), (Groups{0, 0, 0, 0, 1, 1, 2, 2}));
}

TEST(Layout, OfOneHostOfUnknownCoresHasThatHost) {
  const Layout layout = layout_of(HostNumbers{}, CoreNumbers{}, std::vector<Rank>{0, 1, 2});
  ASSERT_EQ(layout.levels().size(), 1U);
  EXPECT_EQ(layout.levels()[0].name(), kHostLevel);
  EXPECT_EQ(layout.levels()[0].groups().groups(), 1);
}

}  // namespace
}  // namespace stretto
