// Messages that their sender leaves in its send buffer.

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "base/clock.hpp"
#include "transport/shm/two_peers.hpp"

namespace stretto::shm {
namespace {

// A sender that waits leaves a copy once it has waited for so long.
class SenderWaits : public TwoPeers {
 protected:
  SenderWaits() { attend_[0] = 1; }
  // Until the sender is done with so many messages; false where it never is.
  bool sender_is_done(std::size_t messages) {
    const std::int64_t until = now_ns() + 20'000'000;
    while (of_a_.size() < messages && now_ns() < until) a_->poll(of_a_);
    a_->forget_copies();
    return of_a_.size() == messages && a_->is_quiet();
  }
};

TEST_P(SenderWaits, NoLongerThanForACopyThatTheReceiverTakesLater) {
  for (const std::size_t bytes : {300U, 5000U, 16384U}) {
    for (int turn = 0; turn < 20; ++turn) {  // more than there are words
      std::vector<std::byte> sent = random_bytes(bytes);
      const std::vector<std::byte> kept = sent;
      std::vector<std::byte> received(bytes);
      a_->send(plain(sent.data(), bytes), 0, {});
      ASSERT_TRUE(sender_is_done(1)) << bytes;
      std::ranges::fill(sent, std::byte{});  // the sender's again
      // From now on it moves nothing along.
      b_->poll(of_b_);
      b_->receive(plain(received.data(), bytes), 0, {});
      b_->poll(of_b_);
      ASSERT_EQ(of_b_.size(), 1U);
      EXPECT_EQ(of_b_[0].error, 0);
      EXPECT_EQ(received, kept);
      EXPECT_TRUE(b_->is_quiet());
      of_a_.clear();
      of_b_.clear();
    }
  }
}

TEST_P(SenderWaits, ForItsReceiverWhereThereIsNoRoomForACopy) {
  const std::size_t bytes = kBufferBytes / 2;
  std::vector<std::byte> first = random_bytes(bytes);
  std::vector<std::byte> second = random_bytes(bytes + 1);
  std::vector<std::byte> received(bytes + 1);
  a_->send(plain(first.data(), bytes), 0, {});
  a_->send(plain(second.data(), bytes + 1), 1, {});
  EXPECT_FALSE(sender_is_done(2));
  EXPECT_EQ(of_a_.size(), 1U);
  b_->receive(plain(received.data(), bytes), 0, {});
  b_->poll(of_b_);
  EXPECT_TRUE(sender_is_done(2));  // there is room now
  b_->receive(plain(received.data(), bytes + 1), 1, {});
  b_->poll(of_b_);
  EXPECT_EQ(received, second);
}

TEST_P(SenderWaits, ForWhatHasBegunToBeTaken) {
  const std::size_t bytes = 5000;
  std::vector<std::byte> sent = random_bytes(bytes);
  std::vector<std::byte> received(bytes);
  const std::vector<std::byte> kept = sent;
  attend_[0] = 0;
  a_->send(plain(sent.data(), bytes), 0, {});
  b_->receive(plain(received.data(), bytes), 0, {});
  b_->poll(of_b_);  // has it, or wants it
  attend_[0] = 1;
  const std::uint64_t word = offers_[0].all[0];
  EXPECT_EQ(word, kClaimed);
  run();
  EXPECT_EQ(received, kept);
  EXPECT_EQ(of_a_.size(), 1U);
  EXPECT_EQ(offers_[0].all[0], kFreeWord);
}

TEST_P(SenderWaits, NotForWhoHasNoRoomForItsMessage) {
  const std::size_t bytes = 5000;
  std::vector<std::byte> sent = random_bytes(bytes);
  std::vector<std::byte> received(bytes);
  for (int turn = 0; turn < 20; ++turn) {
    a_->send(plain(sent.data(), bytes), 0, {});
    ASSERT_TRUE(sender_is_done(1));
    b_->receive(plain(received.data(), bytes - 1), 0, {});
    run();
    ASSERT_EQ(of_b_.size(), 1U);
    EXPECT_EQ(of_b_[0].error, kTruncated);
    EXPECT_EQ(of_a_.size(), 1U);
    of_a_.clear();
    of_b_.clear();
  }
}

// The offer has found no room: the receiver would never hear of it if its sender went.
TEST_P(SenderWaits, UntilTheOfferHasGone) {
  std::vector<int> ones(std::size_t{kSize.lines});
  for (int& each : ones) a_->send(plain(each), 1, {});
  std::vector<std::byte> sent = random_bytes(5000);
  std::vector<std::byte> received(sent.size());
  a_->send(plain(sent.data(), sent.size()), 0, {});
  EXPECT_FALSE(sender_is_done(ones.size() + 1));
  EXPECT_EQ(of_a_.size(), ones.size());
  for (int& each : ones) b_->receive(plain(each), 1, {});
  b_->receive(plain(received.data(), received.size()), 0, {});
  run();
  EXPECT_EQ(received, sent);
  EXPECT_EQ(of_a_.size(), ones.size() + 1);
}

TEST_P(SenderWaits, OrComputesThenItsDataAreNotCopied) {
  attend_[0] = 0;
  std::vector<std::byte> sent = random_bytes(5000);
  a_->send(plain(sent.data(), sent.size()), 0, {});
  EXPECT_FALSE(sender_is_done(1));
}

INSTANTIATE_TEST_SUITE_P(Each, SenderWaits, testing::Bool(),
                         [](const auto& tested) { return tested.param ? "Pulls" : "Copies"; });

// What one operation sends to several, in a wait, is copied once for all but the first of them.
class SameData : public TwoPeers {};
TEST_P(SameData, WhatIsSentAgainIsCopiedAtOnce) {
  const std::size_t bytes = 5000;
  std::vector<std::byte> sent = random_bytes(bytes);
  const std::vector<std::byte> kept = sent;
  int operation = 0;
  for (int i = 0; i < 4; ++i) a_->send(plain(sent.data(), bytes), i, {&operation, i}, true);
  a_->poll(of_a_);
  a_->forget_copies();
  EXPECT_EQ(of_a_.size(), 4U);  // the first likewise, as it has not begun to be taken
  std::ranges::fill(sent, std::byte{});
  a_->send(plain(sent.data(), bytes), 4, {&operation, 4}, true);  // other data now
  for (int i = 0; i < 5; ++i) {
    std::vector<std::byte> received(bytes);
    b_->receive(plain(received.data(), bytes), i, {});
    run();
    EXPECT_EQ(received, i < 4 ? kept : sent) << i;
  }
  // Nobody waits for these.
  for (int i = 0; i < 4; ++i) a_->send(plain(sent.data(), bytes), i, {&operation, i});
  of_a_.clear();
  a_->poll(of_a_);
  EXPECT_TRUE(of_a_.empty());
}
INSTANTIATE_TEST_SUITE_P(Each, SameData, testing::Bool(),
                         [](const auto& tested) { return tested.param ? "Pulls" : "Copies"; });

}  // namespace
}  // namespace stretto::shm
