#include "base/doorbell.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <new>
#include <thread>

namespace stretto {
namespace {

constexpr std::int64_t kLong = 3'600'000'000'000;  // ns: a test that slept for it would not end

TEST(Doorbell, ThatHasRungSinceItWasReadLetsNobodySleep) {
  Doorbell doorbell;
  const std::uint32_t rings = doorbell.rings();
  doorbell.ring();
  doorbell.wait(rings, kLong);
  EXPECT_NE(doorbell.rings(), rings);
}

// Two that wake each other, each time while the other sleeps or is about to.
struct Pair {
  static constexpr std::uint32_t kTurns = 2000;
  Doorbell there;
  Doorbell back;

  static void wait_for(Doorbell& doorbell, std::uint32_t rings) {
    for (std::uint32_t seen = doorbell.rings(); seen != rings; seen = doorbell.rings())
      doorbell.wait(seen, kLong);
  }
  void answer() {
    for (std::uint32_t turn = 1; turn <= kTurns; ++turn) {
      wait_for(there, turn);
      back.ring();
    }
  }
  void ask() {
    for (std::uint32_t turn = 1; turn <= kTurns; ++turn) {
      there.ring();
      wait_for(back, turn);
    }
  }
};

TEST(Doorbell, EndsTheSleepOfAnotherThread) {
  Pair pair;
  std::thread other([&] { pair.answer(); });
  pair.ask();
  other.join();
}

TEST(Doorbell, IsRungOnceWhereItListens) {
  Doorbell doorbell;
  doorbell.ring_listener();
  EXPECT_EQ(doorbell.rings(), 0U);
  doorbell.listen(true);
  doorbell.ring_listener();
  doorbell.ring_listener();
  EXPECT_EQ(doorbell.rings(), 1U);
  EXPECT_FALSE(doorbell.listens());
}

TEST(Doorbell, IsNotSleptByForLongerThanAsked) {
  Doorbell doorbell;
  doorbell.wait(doorbell.rings(), 1000);
}

TEST(Doorbell, EndsTheSleepOfAnotherProcess) {
  void* const shared =
      ::mmap(nullptr, sizeof(Pair), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(shared, MAP_FAILED);
  auto* const pair = new (shared) Pair;
  const pid_t child = ::fork();
  if (child == 0) {
    pair->answer();
    ::_exit(0);
  }
  pair->ask();
  int status = -1;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  ::munmap(shared, sizeof(Pair));
}

}  // namespace
}  // namespace stretto
