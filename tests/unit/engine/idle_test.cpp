#include "engine/idle.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

namespace stretto {
namespace {

// The pauses that it takes to have waited for so long.
long pauses(Idle& idle, std::int64_t ns) {
  long number = 0;
  while (idle.waited_ns() < ns) {
    idle.pause(false);
    ++number;
  }
  return number;
}

TEST(Idle, KnowsHowLongNothingHasHappened) {
  Idle idle(false);
  EXPECT_EQ(idle.waited_ns(), 0);
  const std::int64_t begin = now_ns();
  pauses(idle, 3'000'000);
  EXPECT_LE(idle.waited_ns(), now_ns() - begin);
  idle.reset();
  EXPECT_EQ(idle.waited_ns(), 0);
  idle.pause(false);
  EXPECT_EQ(idle.waited_ns(), 0);  // from here on
}

// A spin of 20 us would be thousands of pauses.
TEST(Idle, LooksEverLessOften) {
  Idle idle(false);
  pauses(idle, 20'000'000);
  const std::int64_t begin = idle.waited_ns();
  idle.pause(false);
  idle.pause(false);
  EXPECT_GE(idle.waited_ns() - begin, 20'000);  // a sleep, and be it the one where cores are shared
}

// How often this thread has given up its core to wait, as it does in a sleep and not in a yield.
long waits() {
  rusage usage{};
  EXPECT_EQ(getrusage(RUSAGE_THREAD, &usage), 0);
  return usage.ru_nvcsw;
}

TEST(Idle, DoesNotSleepBetweenPartsThatMove) {
  Idle idle(false);
  pauses(idle, 20'000'000);
  const std::int64_t waited = idle.waited_ns();
  const long before = waits();
  for (int part = 0; part < 100; ++part) {
    idle.stay_awake();
    idle.pause(false);
  }
  EXPECT_EQ(waits(), before);
  EXPECT_GT(idle.waited_ns(), waited);  // which pokes and stalls go by
  pauses(idle, idle.waited_ns() + 20'000'000);
  EXPECT_GT(waits(), before);
}

// Whatever load there is: who yields or sleeps from the start looks less often than who spins may.
TEST(Idle, WhereCoresAreSharedItDoesNotSpin) {
  Idle idle(true);
  pauses(idle, 10'000'000);
  EXPECT_GE(idle.waited_ns(), 10'000'000);
}

}  // namespace
}  // namespace stretto
