#include "selection/contenders.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "selection/fastest.hpp"
#include "selection/learning.hpp"
#include "selection/queries.hpp"

namespace stretto {
namespace {

TEST(Contenders, AreWhatRunsTheCallTheMpiAndTheFastestEachOnce) {
  for (const Surroundings& around : {kOneHost, kTwoHosts}) {
    for (int c = 0; c < kCollectives; ++c) {
      const auto collective = static_cast<Collective>(c);
      if (!has_contenders(collective, {})) continue;
      for (const Count bytes : {Count{8}, Count{4096}, Count{1} << 20}) {
        const Query asked = query(collective, collective == Collective::barrier ? 0 : bytes, 8);
        const std::vector<Choice> all = contenders(asked, around, {});
        ASSERT_GE(all.size(), 2U) << name_of(collective);
        ASSERT_LE(all.size(), Contest::kMostContenders);
        EXPECT_EQ(all[0].algorithm, choose(asked, around, {}).algorithm);
        std::vector<const Algorithm*> each;
        for (const Choice& choice : all) {
          each.push_back(choice.algorithm);
          EXPECT_TRUE(choice.algorithm == nullptr || may_run(*choice.algorithm, asked));
        }
        EXPECT_EQ(std::ranges::count(each, nullptr), 1);
        std::ranges::sort(each);
        EXPECT_EQ(std::ranges::adjacent_find(each), each.end());
      }
    }
  }
}

TEST(Contenders, BetweenHostsOneGoesByTheLayout) {
  const auto has_two_level = [](const Surroundings& around) {
    return std::ranges::any_of(contenders(query(Collective::bcast, 8, 8), around, {}),
                               [](const Choice& each) {
                                 return each.algorithm != nullptr && each.algorithm->uses_layout;
                               });
  };
  EXPECT_TRUE(has_two_level(kTwoHosts));
  EXPECT_FALSE(has_two_level(kOneHost));
}

TEST(Contenders, OfABroadcastOnePassesNothingOn) {
  Surroundings together = kOneHost;
  together.shares_memory = true;
  const auto has_linear = [](Query asked, const Surroundings& around) {
    const std::vector<Choice> all = contenders(asked, around, {});
    EXPECT_LE(all.size(), Contest::kMostContenders);
    return std::ranges::any_of(all, [](const Choice& each) { return label_of(each) == "linear"; });
  };
  Query asked = query(Collective::bcast, 1 << 20, 8);
  for (const int ranks : {8, 16, 64}) {
    asked.size = ranks;
    EXPECT_TRUE(has_linear(asked, together)) << ranks;
  }
  EXPECT_FALSE(has_linear(asked, kTwoHosts));
  asked.size = 65;
  EXPECT_FALSE(has_linear(asked, together));
  asked.size = 16;
  for (const Count bytes : {Count{4096}, Count{65536}, Count{131071}}) {
    asked.bytes = bytes;
    EXPECT_TRUE(has_linear(asked, kTwoHosts)) << bytes;
  }
  asked.size = 17;
  EXPECT_FALSE(has_linear(asked, kTwoHosts));
}

TEST(Contenders, WhereHostsAlternateTheyAreWhatMpisRun) {
  Surroundings round_the_hosts = kTwoHosts;
  round_the_hosts.in_blocks = false;
  const std::vector<Choice> all =
      contenders(query(Collective::allgather, 8, 8), round_the_hosts, {});
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(label_of(all[0]), "native");
  EXPECT_EQ(label_of(all[1]), "recursive_doubling");
}

TEST(Contenders, ThereAreNoneWhereTheUserForcesOneNorBetweenNeighbours) {
  Overrides overrides{};
  overrides[static_cast<std::size_t>(Collective::bcast)].native = true;
  EXPECT_FALSE(has_contenders(Collective::bcast, overrides));
  EXPECT_TRUE(has_contenders(Collective::reduce, overrides));
  EXPECT_FALSE(has_contenders(Collective::neighbor_alltoall, overrides));
}

}  // namespace
}  // namespace stretto
