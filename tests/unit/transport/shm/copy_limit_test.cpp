#include "transport/shm/copy_limit.hpp"

#include <gtest/gtest.h>

#include <thread>

#include "transport/shm/two_peers.hpp"

namespace stretto::shm {
namespace {

class CopyLimit : public TwoPeers {
 protected:
  CopyLimit() { attend_[0] = attend_[1] = 1; }
};

// Both attend, and memory may be read: the receiver alone can take what it need not have copied.
TEST_P(CopyLimit, OnlyWhatIsShorterIsCopiedTwice) {
  if (!GetParam()) return;
  const std::size_t bytes = 4096;
  for (const std::size_t limit : {kNoCopies, bytes, bytes + 1, kAlwaysCopied}) {
    // Each kind of message by its own limit.
    const bool anew = limit == bytes + 1;
    b_->copy_as(anew ? Copying{.anew_below = limit} : Copying{.below = limit});
    std::vector<std::byte> sent = random_bytes(bytes);
    std::vector<std::byte> received(bytes);
    a_->send(plain(sent.data(), bytes), 0, {});
    b_->receive(plain(received.data(), bytes), 0, {}, anew);
    b_->poll(of_b_);
    EXPECT_EQ(of_b_.size(), bytes < limit ? 0U : 1U) << limit;
    run();
    EXPECT_EQ(of_b_.size(), 1U);
    EXPECT_EQ(received, sent);
    of_a_.clear();
    of_b_.clear();
  }
}

// Whatever it is on this machine, and though the sides measure different times.
TEST_P(CopyLimit, BothSidesComeToTheSame) {
  for (int turn = 0; turn < 3; ++turn) {
    Copying of_b{.below = 1};
    std::thread other([&] { of_b = measure_copying(*b_, GetParam()); });
    const Copying of_a = measure_copying(*a_, GetParam());
    other.join();
    EXPECT_EQ(of_a.below, of_b.below);
    EXPECT_EQ(of_a.anew_below, of_b.anew_below);
    EXPECT_EQ(of_a.takes_lines, of_b.takes_lines);
    if (!GetParam()) {
      EXPECT_EQ(of_a.below, kNoCopies);
      EXPECT_EQ(of_a.anew_below, kNoCopies);
    }
    EXPECT_TRUE(a_->is_quiet());
    EXPECT_TRUE(b_->is_quiet());
  }
  // What came meanwhile is left for who asks for it.
  int sent = 5;
  int received = 0;
  a_->send(plain(sent), 0, {});
  b_->receive(plain(received), 0, {});
  run();
  EXPECT_EQ(received, 5);
}

INSTANTIATE_TEST_SUITE_P(Shm, CopyLimit, testing::Bool(),
                         [](const auto& instance) { return instance.param ? "Pulls" : "Chunks"; });

}  // namespace
}  // namespace stretto::shm
