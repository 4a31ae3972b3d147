#include "transport/shm/peer.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <numeric>
#include <vector>

#include "transport/shm/two_peers.hpp"

namespace stretto::shm {
namespace {

TEST_P(TwoPeers, MessagesOfAllLengthsArrive) {
  for (const std::size_t bytes : {0U, 1U, 32U, 33U, 255U, 256U, 257U, 1024U, 5000U, 1'000'000U}) {
    const std::vector<std::byte> sent = random_bytes(bytes);
    std::vector<std::byte> late(bytes);
    std::vector<std::byte> early(bytes);
    const std::vector<std::byte> kept = sent;
    auto* const data = const_cast<std::byte*>(sent.data());
    b_->receive(plain(early.data(), bytes), 1, {nullptr, 1});
    a_->send(plain(data, bytes), 1, {nullptr, 1});
    a_->send(plain(data, bytes), 2, {nullptr, 2});
    run();
    b_->receive(plain(late.data(), bytes), 2, {nullptr, 2});
    run();
    EXPECT_EQ(early, kept) << bytes;
    EXPECT_EQ(late, kept) << bytes;
    EXPECT_EQ(of_a_.size(), 2U);
    EXPECT_EQ(of_b_.size(), 2U);
    of_a_.clear();
    of_b_.clear();
  }
}

TEST_P(TwoPeers, DataWithGapsArePackedAndUnpacked) {
  for (const std::size_t bytes : {10U, 1000U}) {
    std::vector<std::byte> sent = random_bytes(2 * bytes);
    std::vector<std::byte> received(2 * bytes);
    Piece from = plain(sent.data(), bytes);
    Piece to = plain(received.data(), bytes);
    from.plain = to.plain = false;
    a_->send(from, 0, {});
    b_->receive(to, 0, {});
    run();
    for (std::size_t i = 0; i < 2 * bytes; i += 2) ASSERT_EQ(received[i], sent[i]);
    EXPECT_EQ(received[1], std::byte{0});
  }
}

TEST_P(TwoPeers, WhatFindsNoRoomWaitsForItsTurn) {
  constexpr int kMessages = 500;
  std::vector<int> sent(kMessages);
  std::iota(sent.begin(), sent.end(), 0);
  for (int& each : sent) a_->send(plain(each), 0, {nullptr, each});
  EXPECT_GT(a_->waiting(), 0U);
  std::vector<int> received(kMessages, -1);
  for (int& each : received) b_->receive(plain(each), 0, {});
  run();
  EXPECT_EQ(received, sent);
  EXPECT_EQ(a_->waiting(), 0U);
  ASSERT_EQ(of_a_.size(), static_cast<std::size_t>(kMessages));
  for (int i = 0; i < kMessages; ++i) EXPECT_EQ(of_a_[static_cast<std::size_t>(i)].token.step, i);
}

TEST_P(TwoPeers, AMessageThatIsTooLongIsAnErrorOfWhoReceivesIt) {
  for (const std::size_t bytes : {100U, 10'000U}) {
    std::vector<std::byte> sent = random_bytes(bytes);
    std::vector<std::byte> received(bytes);
    a_->send(plain(sent.data(), bytes), 0, {});
    b_->receive(plain(received.data(), bytes - 1), 0, {});
    run();
    ASSERT_EQ(of_a_.size(), 1U);
    ASSERT_EQ(of_b_.size(), 1U);
    EXPECT_EQ(of_a_[0].error, 0);
    EXPECT_EQ(of_b_[0].error, kTruncated);
    EXPECT_EQ(received, std::vector<std::byte>(bytes));
    of_a_.clear();
    of_b_.clear();
  }
}

TEST_P(TwoPeers, AShorterMessageIsNoError) {
  int sent = 5;
  std::array<int, 2> received{};
  a_->send(plain(sent), 0, {});
  b_->receive(plain(received), 0, {});
  run();
  ASSERT_EQ(of_b_.size(), 1U);
  EXPECT_EQ(of_b_[0].error, 0);
  EXPECT_EQ(received, (std::array<int, 2>{5, 0}));
}

TEST_P(TwoPeers, ReceivesAreGivenUp) {
  int mine = 0;
  int other = 0;
  int value = 0;
  a_->receive(plain(value), 0, {&mine, 1});
  a_->receive(plain(value), 0, {&other, 2});
  a_->cancel_receives(&mine);
  run();
  ASSERT_EQ(of_a_.size(), 1U);
  EXPECT_EQ(of_a_[0].token.owner, &mine);
  std::vector<Transport::Token> left;
  a_->add_in_flight(left);
  ASSERT_EQ(left.size(), 1U);
  EXPECT_EQ(left[0].owner, &other);
}

// Both ways at once, of all lengths, several of a tag, received in another order of tags than sent.
TEST_P(TwoPeers, RandomMessagesArriveInTheOrderOfTheirTag) {
  struct Message {
    int tag;
    std::vector<std::byte> data;
  };
  for (int turn = 0; turn < 200; ++turn) {
    std::array<std::vector<Message>, 2> sent;
    std::array<std::vector<Message>, 2> received;
    for (const std::size_t side : {0U, 1U}) {
      const std::size_t messages = random_() % 20;
      for (std::size_t i = 0; i < messages; ++i) {
        const std::size_t bytes = random_() % (random_() % 3 == 0 ? 5000 : 60);
        sent[side].push_back({static_cast<int>(random_() % 3), random_bytes(bytes)});
      }
      received[1 - side] = sent[side];
      std::ranges::stable_sort(received[1 - side], {}, &Message::tag);
      for (Message& each : received[1 - side]) std::ranges::fill(each.data, std::byte{});
    }
    std::array<std::size_t, 4> next{};
    const std::size_t all = 2 * (sent[0].size() + sent[1].size());
    for (std::size_t done = 0; done < all;) {
      const std::size_t what = random_() % 4;
      Peer& peer = what % 2 == 0 ? *a_ : *b_;
      auto& messages = what < 2 ? sent[what % 2] : received[what % 2];
      if (random_() % 3 == 0) {
        peer.poll(what % 2 == 0 ? of_a_ : of_b_);
        peer.forget_copies();
      }
      if (next[what] == messages.size()) continue;
      Message& message = messages[next[what]++];
      ++done;
      const Piece data = plain(message.data.data(), message.data.size());
      EXPECT_EQ(what < 2 ? peer.send(data, message.tag, {}) : peer.receive(data, message.tag, {}),
                0);
    }
    run();
    ASSERT_EQ(of_a_.size() + of_b_.size(), all);
    of_a_.clear();
    of_b_.clear();
    for (const std::size_t side : {0U, 1U}) {
      std::ranges::stable_sort(sent[side], {}, &Message::tag);
      for (std::size_t i = 0; i < sent[side].size(); ++i) {
        ASSERT_EQ(received[1 - side][i].data, sent[side][i].data) << turn;
      }
    }
  }
}

// Data of a chunk never lie beside its head.
TEST_P(TwoPeers, AShortLastChunkWaitsForRoom) {
  if (GetParam()) return;
  const std::size_t bytes = kSize.bytes + 8;
  std::vector<std::byte> sent = random_bytes(bytes);
  std::vector<std::byte> received(bytes);
  a_->send(plain(sent.data(), bytes), 0, {});
  b_->receive(plain(received.data(), bytes), 0, {});
  b_->poll(of_b_);  // wants it
  run();
  EXPECT_EQ(received, sent);
}

// The ring to b is full when a has b's data. Were a's receive complete nobody would poll for a, and
// b would wait for ever.
TEST_P(TwoPeers, AReceiveIsNotCompleteBeforeItsSenderIsTold) {
  if (!GetParam()) return;
  constexpr int kReceive = 77;
  const auto is_of_receive = [](const Transport::Completed& each) {
    return each.token.step == kReceive;
  };
  for (const std::size_t room : {std::size_t{300}, std::size_t{20}}) {  // truncated, too
    const std::size_t bytes = 300;
    std::vector<std::byte> sent = random_bytes(bytes);
    std::vector<std::byte> received(bytes);
    of_a_.clear();
    of_b_.clear();
    b_->send(plain(sent.data(), bytes), 0, {});
    std::vector<int> ones(2 * std::size_t{kSize.lines});
    for (int& each : ones) a_->send(plain(each), 1, {});
    EXPECT_GT(a_->waiting(), 0U);
    a_->receive(plain(received.data(), room), 0, {nullptr, kReceive});
    for (int i = 0; i < 10; ++i) a_->poll(of_a_);
    EXPECT_TRUE(std::ranges::none_of(of_a_, is_of_receive));
    EXPECT_FALSE(a_->is_quiet());
    for (int& each : ones) b_->receive(plain(each), 1, {});
    run();
    EXPECT_TRUE(std::ranges::any_of(of_a_, is_of_receive));
    EXPECT_EQ(of_a_.size(), ones.size() + 1);
    EXPECT_EQ(of_b_.size(), ones.size() + 1);
  }
}

// Takes some of the data where they are, and looks at the others where they belong.
class FollowerOf final : public Transport::Follower {
 public:
  explicit FollowerOf(const std::vector<std::byte>& received) : received_(received) {}
  int come(std::int32_t step, std::size_t bytes) override {
    EXPECT_EQ(step, kStep);
    EXPECT_LT(bytes, received_.size());
    EXPECT_GE(bytes, seen_.size());
    for (std::size_t i = seen_.size(); i < bytes; ++i) seen_.push_back(received_[i]);
    ++came_;
    return error_;
  }
  bool take(std::int32_t step, std::size_t first, std::span<const std::byte> data) override {
    EXPECT_EQ(step, kStep);
    if (first != seen_.size() || ++offered_ % 3 == 0) return false;
    seen_.insert(seen_.end(), data.begin(), data.end());
    ++taken_;
    return true;
  }
  // All of them, once the message is complete: the last ones may be where they belong.
  [[nodiscard]] std::vector<std::byte> all() const {
    std::vector<std::byte> data = seen_;
    for (std::size_t i = data.size(); i < received_.size(); ++i) data.push_back(received_[i]);
    return data;
  }
  void fail(int error) { error_ = error; }
  [[nodiscard]] int came() const { return came_; }
  [[nodiscard]] int taken() const { return taken_; }

  static constexpr int kStep = 7;

 private:
  const std::vector<std::byte>& received_;
  std::vector<std::byte> seen_;
  int offered_ = 0;
  int came_ = 0;
  int taken_ = 0;
  int error_ = 0;
};

TEST_P(TwoPeers, WhoFollowsHasAllDataOnceInTheirOrder) {
  for (const std::size_t bytes : {1000U, 5003U, 700'001U}) {
    std::vector<std::byte> sent = random_bytes(bytes);
    std::vector<std::byte> received(bytes);
    FollowerOf follower(received);
    b_->receive(plain(received.data(), bytes), 0, {nullptr, FollowerOf::kStep}, true, &follower);
    a_->send(plain(sent.data(), bytes), 0, {});
    run();
    for (int i = 0; i < 10 && of_b_.empty(); ++i) run();
    ASSERT_EQ(of_b_.size(), 1U);
    EXPECT_EQ(of_b_[0].error, 0);
    EXPECT_TRUE(follower.all() == sent) << bytes;
    EXPECT_EQ(follower.taken() > 0, !GetParam()) << bytes;
    EXPECT_TRUE(bytes < 5000 || (GetParam() && bytes < 100'000) || follower.came() > 0) << bytes;
    of_b_.clear();
  }
}

// In no more polls than where nobody follows, and who polls learns that there is more to come.
TEST_P(TwoPeers, AMegabyteIsReadAtATime) {
  if (!GetParam()) return;
  std::vector<std::byte> sent = random_bytes(std::size_t{2} << 20);
  std::vector<std::byte> received(sent.size());
  FollowerOf follower(received);
  b_->receive(plain(received.data(), received.size()), 0, {nullptr, FollowerOf::kStep}, true,
              &follower);
  EXPECT_FALSE(b_->poll(of_b_));
  a_->send(plain(sent.data(), sent.size()), 0, {});
  EXPECT_FALSE(a_->poll(of_a_));
  EXPECT_TRUE(b_->poll(of_b_));
  EXPECT_EQ(follower.came(), 8);
  EXPECT_TRUE(b_->poll(of_b_));
  EXPECT_EQ(of_b_.size(), 1U);
  EXPECT_TRUE(follower.all() == sent);
}

TEST_P(TwoPeers, WhatGoesWrongWithWhoFollowsIsTheMessages) {
  constexpr int kError = 13;
  std::vector<std::byte> sent = random_bytes(700'000);
  std::vector<std::byte> received(sent.size());
  FollowerOf follower(received);
  follower.fail(kError);
  b_->receive(plain(received.data(), received.size()), 0, {nullptr, FollowerOf::kStep}, true,
              &follower);
  a_->send(plain(sent.data(), sent.size()), 0, {});
  for (int i = 0; i < 10 && of_b_.empty(); ++i) run();
  ASSERT_EQ(of_b_.size(), 1U);
  EXPECT_EQ(of_b_[0].error, kError);
  EXPECT_EQ(follower.came(), 1);
  EXPECT_EQ(of_a_.size(), 1U);  // the sender's is complete
}

// The kernel reads a part of the sender's memory and then no more. What has come is something else
// by then, and must not come again.
TEST_P(TwoPeers, WhatCannotBeReadAnyMoreComesFromThereOn) {
  if (!GetParam()) return;
  constexpr std::size_t kBytes = std::size_t{512} << 10;
  constexpr std::size_t kReadable = std::size_t{384} << 10;
  void* const memory =
      ::mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  auto* const sent = static_cast<std::byte*>(memory);
  std::ranges::copy(random_bytes(kBytes), sent);
  std::vector<std::byte> received(kBytes);
  class Overwrites final : public Transport::Follower {
   public:
    explicit Overwrites(std::vector<std::byte>& received) : received_(received) {}
    int come(std::int32_t /*step*/, std::size_t bytes) override {
      for (; done_ < bytes; ++done_) received_[done_] ^= std::byte{0xff};
      return 0;
    }
    bool take(std::int32_t, std::size_t, std::span<const std::byte>) override { return false; }
    [[nodiscard]] std::size_t done() const { return done_; }

   private:
    std::vector<std::byte>& received_;
    std::size_t done_ = 0;
  } follower(received);
  testing::internal::CaptureStderr();
  ASSERT_EQ(::mprotect(sent + kReadable, kBytes - kReadable, PROT_NONE), 0);
  a_->send(plain(sent, kBytes), 0, {});
  b_->receive(plain(received.data(), kBytes), 0, {}, true, &follower);
  for (int i = 0; i < 10; ++i) b_->poll(of_b_);
  EXPECT_EQ(follower.done(), kReadable);
  ASSERT_EQ(::mprotect(sent, kBytes, PROT_READ), 0);
  for (int i = 0; i < 10 && of_b_.empty(); ++i) run();
  testing::internal::GetCapturedStderr();
  ASSERT_EQ(of_b_.size(), 1U);
  EXPECT_GT(follower.done(), kReadable);
  for (std::size_t i = 0; i < kBytes; ++i) {
    ASSERT_EQ(received[i], i < follower.done() ? ~sent[i] : sent[i]) << i;
  }
  ::munmap(memory, kBytes);
}

INSTANTIATE_TEST_SUITE_P(Each, TwoPeers, testing::Bool(),
                         [](const auto& tested) { return tested.param ? "Pulls" : "Copies"; });

// No process has that number: the kernel refuses in mid-run what it was thought to grant.
class RefusedPeers : public TwoPeers {
 protected:
  RefusedPeers() : TwoPeers(true, 1 << 30) {}
};
TEST_P(RefusedPeers, WhatCannotBeReadComesByTheRing) {
  std::vector<std::byte> sent = random_bytes(300'000);
  std::vector<std::byte> received(sent.size());
  testing::internal::CaptureStderr();
  for (int i = 0; i < 2; ++i) {
    std::ranges::fill(received, std::byte{});
    a_->send(plain(sent.data(), sent.size()), 0, {});
    b_->receive(plain(received.data(), received.size()), 0, {});
    run();
    EXPECT_EQ(received, sent);
  }
  testing::internal::GetCapturedStderr();
}
INSTANTIATE_TEST_SUITE_P(Each, RefusedPeers, testing::Values(true));

}  // namespace
}  // namespace stretto::shm
