#include "transport/shm/send_buffer.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <random>
#include <vector>

namespace stretto::shm {
namespace {

constexpr std::uint64_t kAddress = 4096;

class SendBufferTest : public testing::Test {
 protected:
  std::vector<std::byte> memory_ = std::vector<std::byte>(1024);
  SendBuffer buffer_{memory_.data(), memory_.size()};
  std::array<OfferWord, 64> words_{};
  std::array<std::byte, 2048> data_{};

  bool put(std::size_t word, std::size_t first, std::size_t count) {
    words_[word] = kAddress;
    return buffer_.put({this, data_.data() + first, count}, words_[word], kAddress);
  }
  [[nodiscard]] std::size_t offset(std::size_t word) const {
    return words_[word].load() & ~kBuffered;
  }
};

TEST_F(SendBufferTest, IsFullUntilReceiversHaveTheirData) {
  EXPECT_FALSE(put(0, 0, 1025));
  EXPECT_EQ(words_[0], kAddress);
  EXPECT_TRUE(put(0, 0, 512));
  EXPECT_TRUE(put(1, 512, 512));
  EXPECT_FALSE(put(2, 1024, 1));
  words_[0] = kFreeWord;
  EXPECT_TRUE(put(2, 1024, 1));
  EXPECT_EQ(offset(2), 0U);
}

TEST_F(SendBufferTest, WhoHasClaimedItsWordGetsNoCopyAndTakesNoRoom) {
  words_[0] = kClaimed;
  EXPECT_FALSE(buffer_.put({this, data_.data(), 1024}, words_[0], kAddress));
  EXPECT_EQ(words_[0], kClaimed);
  buffer_.forget_latest();
  EXPECT_TRUE(put(1, 0, 1024));
}

TEST_F(SendBufferTest, OneCopyIsForAllThatAreSentItAtTheSameTime) {
  EXPECT_TRUE(put(0, 0, 700));
  EXPECT_TRUE(put(1, 0, 700));
  EXPECT_EQ(offset(0), offset(1));
  words_[0] = kFreeWord;
  EXPECT_FALSE(put(2, 1000, 700));  // the other has not got it yet
  buffer_.forget_latest();
  EXPECT_FALSE(put(2, 0, 700));  // may have changed since
  words_[1] = kFreeWord;
  EXPECT_TRUE(put(2, 0, 700));
}

TEST_F(SendBufferTest, ACopyThatAllHaveTakenIsNotHandedOutOnceItsRoomIsAnothers) {
  EXPECT_TRUE(put(0, 0, 700));
  words_[0] = kFreeWord;
  data_[1000] = std::byte{7};
  EXPECT_TRUE(put(1, 1000, 700));
  EXPECT_FALSE(buffer_.has({this, data_.data(), 700}));
  EXPECT_TRUE(buffer_.has({this, data_.data() + 1000, 700}));
  words_[1] = kFreeWord;
  EXPECT_FALSE(put(2, 0, 1025));
  EXPECT_TRUE(put(3, 1000, 700));  // whose room was given up meanwhile
  EXPECT_EQ(memory_[offset(3)], std::byte{7});
}

TEST_F(SendBufferTest, WhatIsSentAgainIsOfTheSameOwnerAndData) {
  EXPECT_FALSE(buffer_.is_sent_again({this, data_.data(), 8}));
  EXPECT_TRUE(buffer_.is_sent_again({this, data_.data(), 8}));
  EXPECT_FALSE(buffer_.is_sent_again({this, data_.data(), 9}));
  EXPECT_FALSE(buffer_.is_sent_again({&buffer_, data_.data(), 9}));
  buffer_.forget_latest();
  EXPECT_FALSE(buffer_.is_sent_again({&buffer_, data_.data(), 9}));
}

TEST_F(SendBufferTest, CopiesNeverOverlapWhateverTheOrderInWhichTheyAreTaken) {
  std::mt19937 random{1};
  std::map<std::size_t, std::byte> kept;  // by word: what its copy holds
  std::map<std::size_t, std::size_t> counts;
  for (int turn = 0; turn < 20'000; ++turn) {
    const std::size_t word = random() % words_.size();
    if (kept.contains(word)) {
      const auto* const copy = memory_.data() + offset(word);
      ASSERT_LE(offset(word) + counts[word], memory_.size());
      ASSERT_TRUE(std::all_of(copy, copy + counts[word],
                              [&](std::byte each) { return each == kept[word]; }));
      kept.erase(word);
      words_[word] = kFreeWord;
      continue;
    }
    const std::size_t count = 1 + random() % 300;
    if (random() % 2 == 0) {
      buffer_.forget_latest();
      data_.fill(static_cast<std::byte>(turn));
    }
    if (!put(word, 0, count)) {
      words_[word] = kFreeWord;
      continue;
    }
    kept[word] = data_[0];
    counts[word] = count;
  }
}

}  // namespace
}  // namespace stretto::shm
