// What each collective's result needs, against whose data MPI says each rank gets.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>

#include "model/ends_if_free.hpp"

namespace stretto::model {
namespace {

using Times = std::vector<double>;

// Whether `rank` cannot be done before `other` has come.
bool needs(Collective collective, Rank root, Rank rank, Rank other) {
  switch (collective) {
    case Collective::bcast:
    case Collective::scatter:
      return other == root;
    case Collective::reduce:
    case Collective::gather:
      return rank == root;
    case Collective::scan:
    case Collective::exscan:
      return other < rank;
    default:
      return true;
  }
}

Times expected(Collective collective, Rank root, const Times& arrivals) {
  Times ends = arrivals;
  for (std::size_t rank = 0; rank < ends.size(); ++rank) {
    for (std::size_t other = 0; other < ends.size(); ++other) {
      if (needs(collective, root, static_cast<Rank>(rank), static_cast<Rank>(other))) {
        ends[rank] = std::max(ends[rank], arrivals[other]);
      }
    }
  }
  return ends;
}

class Meaning : public ::testing::TestWithParam<int> {
 protected:
  [[nodiscard]] static Collective collective() { return static_cast<Collective>(GetParam()); }
};

TEST_P(Meaning, IsWhatEachRankNeedsWithEveryRoot) {
  std::mt19937 random(20261122);
  for (const int ranks : {1, 2, 3, 5, 8, 33}) {
    for (Rank root = 0; root < ranks; ++root) {
      Times arrivals(static_cast<std::size_t>(ranks));
      for (double& arrival : arrivals) arrival = static_cast<double>(random() % 20);
      EXPECT_EQ(ends_if_free(collective(), root, arrivals), expected(collective(), root, arrivals))
          << ranks << " ranks, root " << root;
    }
  }
}

TEST_P(Meaning, OfRanksThatComeTogetherIsThatNobodyWaits) {
  const Times together(7, 42);
  for (Rank root = 0; root < 7; ++root) {
    EXPECT_EQ(ends_if_free(collective(), root, together), together);
  }
}

std::string name(const ::testing::TestParamInfo<int>& info) {
  return std::string(name_of(static_cast<Collective>(info.param)));
}
INSTANTIATE_TEST_SUITE_P(All, Meaning, ::testing::Range(0, kCollectives), name);

// By hand, one of each kind.
TEST(MeaningByHand, OfOneLateRank) {
  const Times arrivals{3, 1, 9, 2};
  const auto ends = [&](Collective collective, Rank root = 0) {
    return ends_if_free(collective, root, arrivals);
  };
  EXPECT_EQ(ends(Collective::barrier), (Times{9, 9, 9, 9}));
  EXPECT_EQ(ends(Collective::allreduce), (Times{9, 9, 9, 9}));
  EXPECT_EQ(ends(Collective::bcast, 0), (Times{3, 3, 9, 3}));
  EXPECT_EQ(ends(Collective::scatter, 2), (Times{9, 9, 9, 9}));
  EXPECT_EQ(ends(Collective::reduce, 3), (Times{3, 1, 9, 9}));
  EXPECT_EQ(ends(Collective::gather, 2), arrivals);
  EXPECT_EQ(ends(Collective::scan), (Times{3, 3, 9, 9}));
  EXPECT_EQ(ends(Collective::exscan), (Times{3, 3, 9, 9}));
}

}  // namespace
}  // namespace stretto::model
