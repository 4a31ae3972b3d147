#include "patterns/dissemination.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <set>
#include <vector>

namespace stretto {
namespace {

TEST(Dissemination, EveryRankHearsFromAll) {
  for (int size = 1; size <= 40; ++size) {
    std::vector<std::set<int>> heard;
    for (int me = 0; me < size; ++me) heard.push_back({me});
    const std::size_t rounds = dissemination_rounds(size, 0).size();
    for (std::size_t i = 0; i < rounds; ++i) {
      const auto before = heard;
      for (int me = 0; me < size; ++me) {
        const auto& from =
            before[static_cast<std::size_t>(dissemination_rounds(size, me)[i].behind)];
        heard[static_cast<std::size_t>(me)].insert(from.begin(), from.end());
      }
    }
    for (const auto& ranks : heard) EXPECT_EQ(ranks.size(), static_cast<std::size_t>(size));
  }
}

TEST(Dissemination, WhoSendsAheadIsHeardFromBehind) {
  for (int me = 0; me < 11; ++me) {
    for (std::size_t i = 0; i < 4; ++i) {
      const int ahead = dissemination_rounds(11, me)[i].ahead;
      EXPECT_EQ(dissemination_rounds(11, ahead)[i].behind, me);
    }
  }
}

}  // namespace
}  // namespace stretto
