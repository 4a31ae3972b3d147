#include "transport/shm/shared_blocks.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <thread>
#include <vector>

namespace stretto::shm {
namespace {

struct alignas(64) BlocksMemory {
  std::array<std::byte, SharedBlocks::kMemory> bytes{};
};

class SharedBlocksTest : public testing::Test {
 protected:
  static constexpr int kRanks = 3;

  std::vector<std::unique_ptr<BlocksMemory>> memory_;
  std::vector<SharedBlocks> ranks_;

  SharedBlocksTest() { make(0); }

  void make(int set) {
    std::vector<std::byte*> bases;
    ranks_.clear();
    while (memory_.size() < kRanks) memory_.push_back(std::make_unique<BlocksMemory>());
    for (const auto& each : memory_) bases.push_back(each->bytes.data());
    for (int rank = 0; rank < kRanks; ++rank) ranks_.emplace_back(bases, rank, set);
  }

  static void show(SharedBlocks& rank, int value, int reader = SharedBlocks::kEveryone) {
    std::memcpy(rank.own(), &value, sizeof value);
    rank.show(reader);
  }
  static int value(const SharedBlocks& rank, int from) {
    int read = 0;
    std::memcpy(&read, rank.block(from), sizeof read);
    return read;
  }
};

TEST_F(SharedBlocksTest, ABlockIsThereOnceItIsShown) {
  for (SharedBlocks& rank : ranks_) rank.begin();
  EXPECT_TRUE(ranks_[1].is_free());
  EXPECT_FALSE(ranks_[0].is_shown(1));
  show(ranks_[1], 7);
  EXPECT_TRUE(ranks_[0].is_shown(1));
  EXPECT_TRUE(ranks_[1].is_shown(1));
  EXPECT_FALSE(ranks_[0].is_shown(2));
  EXPECT_EQ(value(ranks_[0], 1), 7);
}

TEST_F(SharedBlocksTest, WhoGoesOnDoesNotTakeWhatOthersHaveStillToRead) {
  // Rank 0 alone reads. Rank 1 goes on as long as there are places left.
  int gone = 0;
  for (;; ++gone) {
    ranks_[1].begin();
    if (!ranks_[1].is_free()) break;
    show(ranks_[1], gone, 0);
    ranks_[1].finish(false);
  }
  EXPECT_EQ(gone, 4);
  ranks_[2].begin();
  show(ranks_[2], 0, 0);
  ranks_[2].finish(false);
  EXPECT_FALSE(ranks_[1].is_free());  // no reader of its blocks
  for (int exchange = 0; exchange < gone; ++exchange) {
    ranks_[0].begin();
    EXPECT_TRUE(ranks_[0].is_shown(1));
    EXPECT_EQ(value(ranks_[0], 1), exchange);
    ranks_[0].finish(false);
    EXPECT_TRUE(ranks_[1].is_free());
  }
}

TEST_F(SharedBlocksTest, WhatIsForAllStaysUntilAllHaveReadIt) {
  for (int exchange = 0; exchange < 4; ++exchange) {
    ranks_[1].begin();
    show(ranks_[1], exchange);
    ranks_[1].finish(false);
  }
  ranks_[1].begin();
  for (const int reader : {0, 2}) {
    EXPECT_FALSE(ranks_[1].is_free());
    ranks_[static_cast<std::size_t>(reader)].begin();
    ranks_[static_cast<std::size_t>(reader)].finish(false);
  }
  EXPECT_TRUE(ranks_[1].is_free());
}

TEST_F(SharedBlocksTest, SetsAreApart) {
  // Rank 1 fills each place of each set.
  constexpr int kExchanges = 4;
  const auto filled = [](int set, int exchange) { return std::byte(set * kExchanges + exchange); };
  for (int set = 0; set < SharedBlocks::kSets; ++set) {
    make(set);
    for (int exchange = 0; exchange < kExchanges; ++exchange) {
      for (SharedBlocks& rank : ranks_) rank.begin();
      EXPECT_FALSE(ranks_[0].is_shown(1));
      std::ranges::fill_n(ranks_[1].own(), static_cast<long>(ranks_[1].most_bytes()),
                          filled(set, exchange));
      ranks_[1].show();
      for (SharedBlocks& rank : ranks_) rank.finish(false);
    }
    const bool is_long = set < SharedBlocks::kLongSets;
    EXPECT_EQ(ranks_[1].most_bytes(),
              is_long ? SharedBlocks::kMostBytes : SharedBlocks::kMostBytesShort);
  }
  for (int set = 0; set < SharedBlocks::kSets; ++set) {
    make(set);
    for (int exchange = 0; exchange < kExchanges; ++exchange) {
      for (SharedBlocks& rank : ranks_) rank.begin();
      EXPECT_TRUE(ranks_[0].is_shown(1));
      const std::byte* const block = ranks_[0].block(1);
      EXPECT_EQ(std::count(block, block + ranks_[0].most_bytes(), filled(set, exchange)),
                static_cast<long>(ranks_[0].most_bytes()));
    }
  }
}

// Whole blocks, of another length each time, and the exchanges are of all kinds.
TEST_F(SharedBlocksTest, RanksThatRunAtTheirOwnPaceReadWhatWasWritten) {
  constexpr int kExchanges = 20'000;
  const auto run = [](SharedBlocks& blocks, int me) {
    long wrong = 0;
    for (int exchange = 1; exchange <= kExchanges; ++exchange) {
      const int reader = exchange % 5 < 3 ? exchange % 5 : SharedBlocks::kEveryone;
      const auto length = static_cast<std::size_t>(exchange * 37 % SharedBlocks::kMostBytes + 1);
      const auto filled = [exchange](int rank) { return (exchange * 7 + rank) & 0xFF; };
      blocks.begin();
      while (!blocks.is_free()) std::this_thread::yield();
      std::memset(blocks.own(), filled(me), length);
      blocks.show(reader);
      const bool reads = reader == SharedBlocks::kEveryone || reader == me;
      for (int rank = 0; reads && rank < kRanks; ++rank) {
        while (!blocks.is_shown(rank)) std::this_thread::yield();
        for (std::size_t i = 0; i < length; ++i) {
          wrong += blocks.block(rank)[i] != std::byte(filled(rank)) ? 1 : 0;
        }
      }
      blocks.finish(reads);
    }
    return wrong;
  };
  std::vector<std::thread> threads;
  std::array<long, kRanks> wrong{};
  for (int rank = 0; rank < kRanks; ++rank) {
    const auto at = static_cast<std::size_t>(rank);
    threads.emplace_back([&, at, rank] { wrong[at] = run(ranks_[at], rank); });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, (std::array<long, kRanks>{}));
}

TEST(BlockSets, EachIsTakenOnce) {
  BlockSets sets;
  for (int set = 0; set < SharedBlocks::kSets; ++set) {
    const BlockSets::Bits offered = sets.offer();
    EXPECT_EQ(sets.offer(), 0);  // of another thread, meanwhile
    EXPECT_EQ(sets.take(0, 0), -1);
    EXPECT_EQ(sets.take(offered, offered), set);
  }
  EXPECT_EQ(sets.offer(), 0);
  EXPECT_EQ(sets.take(0, 0), -1);
}

TEST(BlockSets, WhatOthersHaveNotLeftStays) {
  BlockSets sets;
  EXPECT_EQ(sets.take(sets.offer(), 0), -1);
  EXPECT_EQ(sets.take(sets.offer(), BlockSets::Bits{1} << 5), 5);
  EXPECT_EQ(sets.take(sets.offer(), BlockSets::kAll), 0);
}

}  // namespace
}  // namespace stretto::shm
