#include "engine/sequence.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <set>
#include <vector>

namespace stretto {
namespace {

TEST(Sequence, SetsNumbersAsideInARow) {
  Sequence sequence;
  EXPECT_EQ(sequence.take(3), 0U);
  EXPECT_EQ(sequence.take(0), 3U);
  EXPECT_EQ(sequence.take(2), 3U);
  EXPECT_EQ(sequence.take(1), 5U);
}

TEST(Sequence, AMessageWaitsForTheOneWithItsTagBeforeIt) {
  Sequence sequence;
  EXPECT_TRUE(sequence.may_post(0, 4));
  EXPECT_TRUE(sequence.may_post(3, 4));
  EXPECT_FALSE(sequence.may_post(4, 4));
  sequence.post(1);
  sequence.post(2);
  EXPECT_FALSE(sequence.may_post(4, 4));
  sequence.post(0);
  EXPECT_TRUE(sequence.may_post(6, 4));
  EXPECT_FALSE(sequence.may_post(7, 4));
}

// Against a plain set of what was posted, in random orders.
TEST(Sequence, KnowsTheFirstThatWasNotPostedInAnyOrder) {
  std::mt19937 random(1);
  for (int round = 0; round < 200; ++round) {
    std::vector<std::uint64_t> numbers(1 + random() % 40);
    std::iota(numbers.begin(), numbers.end(), 0);
    std::ranges::shuffle(numbers, random);
    Sequence sequence;
    std::set<std::uint64_t> unposted(numbers.begin(), numbers.end());
    for (const std::uint64_t number : numbers) {
      sequence.post(number);
      unposted.erase(number);
      const std::uint64_t first = unposted.empty() ? numbers.size() : *unposted.begin();
      ASSERT_TRUE(sequence.may_post(first, 1));
      ASSERT_FALSE(sequence.may_post(first + 1, 1));
    }
  }
}

}  // namespace
}  // namespace stretto
