#include "engine/idle.hpp"

#include <gtest/gtest.h>

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

// Whatever load there is: who yields or sleeps from the start looks less often than who spins may.
TEST(Idle, WhereCoresAreSharedItDoesNotSpin) {
  Idle idle(true);
  pauses(idle, 10'000'000);
  EXPECT_GE(idle.waited_ns(), 10'000'000);
}

}  // namespace
}  // namespace stretto
