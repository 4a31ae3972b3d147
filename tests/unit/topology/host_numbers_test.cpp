#include "topology/host_numbers.hpp"

#include <gtest/gtest.h>

#include <array>
#include <random>
#include <unordered_map>
#include <vector>

namespace stretto {
namespace {

HostNumbers numbers_of(const std::vector<std::uint64_t>& words) {
  HostWords copy = make_host_words(words.size());
  std::copy(words.begin(), words.end(), copy.get());
  return number_hosts(std::move(copy), words.size());
}

TEST(HostNumbers, OneHostNeedsNoMemory) {
  const HostNumbers numbers = numbers_of({7, 7, 7});
  EXPECT_EQ(numbers.hosts, 1);
  EXPECT_EQ(numbers.of, nullptr);
  EXPECT_EQ(numbers.host_of(2), 0U);
}

TEST(HostNumbers, AreInTheOrderOfTheLowestRanks) {
  const HostNumbers numbers = numbers_of({9, 4, 9, 0, 4, 4});
  EXPECT_EQ(numbers.hosts, 3);
  const std::vector<std::uint32_t> expected{0, 1, 0, 2, 1, 1};
  for (int rank = 0; rank < 6; ++rank) {
    EXPECT_EQ(numbers.host_of(rank), expected[static_cast<std::size_t>(rank)]);
  }
}

TEST(HostNumbers, AgreeWithAMapForAnyPlacement) {
  std::mt19937_64 random(3);
  for (int round = 0; round < 60; ++round) {
    const std::size_t ranks = 1 + random() % 3000;
    const std::uint64_t hosts = 1 + random() % (round % 2 == 0 ? 20 : 3000);
    std::vector<std::uint64_t> words(ranks);
    for (auto& word : words) word = (random() % hosts) * 0x100000001U;
    const HostNumbers numbers = numbers_of(words);
    std::unordered_map<std::uint64_t, std::uint32_t> expected;
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      const auto next = static_cast<std::uint32_t>(expected.size());
      const std::uint32_t number = expected.try_emplace(words[rank], next).first->second;
      ASSERT_EQ(numbers.host_of(static_cast<int>(rank)), number) << "round " << round;
    }
    ASSERT_EQ(numbers.hosts, static_cast<int>(expected.size()));
  }
}

TEST(HostNumbers, CountsTheHostsOfSomeRanks) {
  const HostNumbers numbers = numbers_of({9, 4, 9, 0});
  EXPECT_EQ(host_placement_of(numbers, {}).hosts, 3);
  EXPECT_EQ(host_placement_of(numbers, std::array{0, 2}).hosts, 1);
  EXPECT_EQ(host_placement_of(numbers, std::array{3, 2, 0}).hosts, 2);
  EXPECT_EQ(host_placement_of(numbers_of({1, 1}), std::array{0, 1}).hosts, 1);
}

TEST(HostNumbers, TellsBlocksFromRanksLaidRoundTheHosts) {
  EXPECT_TRUE(host_placement_of(numbers_of({5, 5, 5}), {}).in_blocks);
  EXPECT_TRUE(host_placement_of(numbers_of({1, 1, 1, 2, 2, 2, 3}), {}).in_blocks);
  EXPECT_TRUE(host_placement_of(numbers_of({1, 2, 3, 4}), {}).in_blocks);
  EXPECT_TRUE(host_placement_of(numbers_of({1, 1, 2, 2, 1, 1}), {}).in_blocks);
  const HostNumbers round = numbers_of({1, 2, 1, 2, 1, 2, 1, 2});
  EXPECT_FALSE(host_placement_of(round, {}).in_blocks);
  EXPECT_TRUE(host_placement_of(round, std::array{0, 2, 4, 6, 1, 3, 5, 7}).in_blocks);
  EXPECT_FALSE(host_placement_of(round, std::array{0, 1, 2, 3, 4, 5, 6, 7}).in_blocks);
  EXPECT_TRUE(host_placement_of(round, std::array{1, 3, 5}).in_blocks);
}

TEST(HostNumbers, DifferentNamesHaveDifferentWords) {
  EXPECT_NE(host_word("node1"), host_word("node2"));
  EXPECT_NE(host_word(""), host_word("a"));
  EXPECT_EQ(host_word("node1"), host_word("node1"));
}

}  // namespace
}  // namespace stretto
