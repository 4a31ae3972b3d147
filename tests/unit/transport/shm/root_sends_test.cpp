#include "transport/shm/root_sends.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <memory>
#include <numeric>
#include <thread>
#include <vector>

namespace stretto::shm {
namespace {

struct alignas(64) SendsMemory {
  std::array<std::byte, RootSends::kMemory> bytes{};
};

class RootSendsTest : public testing::Test {
 protected:
  static constexpr int kRanks = 3;

  std::vector<std::unique_ptr<SendsMemory>> memory_;
  std::vector<RootSends> ranks_;

  RootSendsTest() {
    std::vector<std::byte*> bases;
    while (memory_.size() < kRanks) memory_.push_back(std::make_unique<SendsMemory>());
    for (const auto& each : memory_) bases.push_back(each->bytes.data());
    for (int rank = 0; rank < kRanks; ++rank) ranks_.emplace_back(bases, rank, 1);
  }

  // Bytes that look like the numbers of lines.
  static std::vector<std::byte> data(std::size_t bytes, int of) {
    std::vector<std::byte> made(bytes);
    for (std::size_t i = 0; i < bytes; ++i) {
      made[i] = std::byte(i % 8 == 0 ? (of + static_cast<int>(i / 56)) & 0xFF : 0);
    }
    return made;
  }
  static void send(RootSends& root, const std::vector<std::byte>& bytes) {
    root.show(bytes.data(), bytes.size());
  }
};

TEST_F(RootSendsTest, OthersReadWhatIsThere) {
  EXPECT_FALSE(ranks_[0].is_shown(1));
  ASSERT_TRUE(ranks_[1].has_room(200));
  send(ranks_[1], data(200, 3));
  for (const int rank : {0, 2}) {
    RootSends& other = ranks_[static_cast<std::size_t>(rank)];
    ASSERT_TRUE(other.is_shown(1));
    EXPECT_FALSE(other.is_shown(2));
    EXPECT_FALSE(other.is_elsewhere(1));
    ASSERT_EQ(other.bytes(1), 200);
    std::vector<std::byte> part(100);
    other.read(1, 70, part.data(), part.size());
    const auto all = data(200, 3);
    EXPECT_TRUE(std::equal(part.begin(), part.end(), all.begin() + 70));
    other.finish(1);
    EXPECT_FALSE(other.is_shown(1));
  }
}

TEST_F(RootSendsTest, WhatComesInAnotherWayIsSaid) {
  ranks_[2].show_elsewhere();
  send(ranks_[2], {});
  ASSERT_TRUE(ranks_[0].is_shown(2));
  EXPECT_TRUE(ranks_[0].is_elsewhere(2));
  ranks_[0].finish(2);
  ASSERT_TRUE(ranks_[0].is_shown(2));
  EXPECT_FALSE(ranks_[0].is_elsewhere(2));
  EXPECT_EQ(ranks_[0].bytes(2), 0);
}

TEST_F(RootSendsTest, ARootIsAheadOfTheSlowestByItsRingAtMost) {
  int gone = 0;
  for (; ranks_[0].has_room(8); ++gone) send(ranks_[0], data(8, gone));
  EXPECT_GT(gone, 100);
  for (int entry = 0; entry < gone; ++entry) {
    ASSERT_TRUE(ranks_[1].is_shown(0));
    ranks_[1].finish(0);
  }
  EXPECT_FALSE(ranks_[1].is_shown(0));
  EXPECT_FALSE(ranks_[0].has_room(8));  // rank 2 has read nothing
  ASSERT_TRUE(ranks_[2].is_shown(0));
  ranks_[2].finish(0);
  EXPECT_TRUE(ranks_[0].has_room(8));
  EXPECT_FALSE(ranks_[0].has_room(RootSends::kMostBytes));
}

// All lengths, roots in turn.
TEST_F(RootSendsTest, RanksThatRunAtTheirOwnPaceReadWhatWasWritten) {
  constexpr int kEntries = 20'000;
  const auto run = [](RootSends& sends, int me) {
    long wrong = 0;
    std::vector<std::byte> read(RootSends::kMostBytes);
    for (int entry = 1; entry <= kEntries; ++entry) {
      const int root = entry * 7 % kRanks;
      const int factor = entry % 4 == 0 ? 997 : 13;
      const auto most = entry % 4 == 0 ? RootSends::kMostBytes + 1 : 130;
      const auto bytes = static_cast<std::size_t>(entry * factor) % most;
      const bool elsewhere = entry % 5 == 0;
      if (me == root) {
        while (!sends.has_room(elsewhere ? 0 : bytes)) std::this_thread::yield();
        if (elsewhere) {
          sends.show_elsewhere();
        } else {
          send(sends, data(bytes, entry));
        }
        continue;
      }
      while (!sends.is_shown(root)) std::this_thread::yield();
      if (sends.is_elsewhere(root) != elsewhere) return -1L;
      if (!elsewhere) {
        if (sends.bytes(root) != bytes) return -1L;
        sends.read(root, 0, read.data(), bytes);
        const auto expected = data(bytes, entry);
        wrong += std::equal(expected.begin(), expected.end(), read.begin()) ? 0 : 1;
      }
      sends.finish(root);
    }
    return wrong;
  };
  std::vector<std::thread> threads;
  std::array<long, kRanks> wrong{};
  threads.reserve(kRanks);
  for (int rank = 0; rank < kRanks; ++rank) {
    const auto at = static_cast<std::size_t>(rank);
    threads.emplace_back([&, at, rank] { wrong[at] = run(ranks_[at], rank); });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, (std::array<long, kRanks>{}));
}

}  // namespace
}  // namespace stretto::shm
