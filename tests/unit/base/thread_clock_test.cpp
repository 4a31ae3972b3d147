#include "base/thread_clock.hpp"

#include <gtest/gtest.h>
#include <time.h>

#include <algorithm>
#include <thread>
#include <vector>

#include "base/clock.hpp"

namespace stretto {
namespace {

std::int64_t cpu_ns() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

// Uses the CPU for so long, as the kernel counts.
void work(std::int64_t ns) {
  const std::int64_t end = cpu_ns() + ns;
  while (cpu_ns() < end) {
  }
}

// What the kernel has so far for neither on a CPU nor waiting for one: here, as no test sleeps
// where it asks, what a hypervisor or the handling of interrupts took. Others must not take the
// CPU between the readings.
std::int64_t taken_from_all_ns() {
  for (;;) {
    const auto delay = thread_run_delay_ns();
    const std::int64_t taken = now_ns() - cpu_ns() - delay.value_or(0);
    if (thread_run_delay_ns() == delay) return taken;
  }
}

// The clock reads the system's a little before or after the test does. Far less than the shortest
// time that it takes for sleep: where nothing was taken, that is none.
constexpr std::int64_t kBetweenReadings = 2'000;

TEST(ThreadClock, CountsWork) {
  std::int64_t taken = -taken_from_all_ns();
  ThreadClock clock;
  const std::int64_t before = clock.now();
  const std::int64_t cpu_before = cpu_ns();
  work(20'000'000);
  const std::int64_t counted = clock.now() - before;
  const std::int64_t used = cpu_ns() - cpu_before;
  taken += taken_from_all_ns();
  EXPECT_GE(counted, used - 1'000'000);
  EXPECT_LE(counted, used + std::max<std::int64_t>(taken, 0) + 1'000'000);
}

TEST(ThreadClock, CountsSleepAsBlocked) {
  ThreadClock clock;
  const std::int64_t before = clock.now();
  sleep_ns(30'000'000);
  EXPECT_GE(clock.now() - before, 29'000'000);
  EXPECT_GE(clock.blocked(), 29'000'000);
}

TEST(ThreadClock, LeavesOutWhatIsSkipped) {
  std::int64_t taken = -taken_from_all_ns();
  ThreadClock clock;
  work(2'000'000);
  const std::int64_t before = clock.now();
  taken += taken_from_all_ns();
  work(20'000'000);
  sleep_ns(20'000'000);
  taken -= taken_from_all_ns();
  clock.restart();
  work(3'000'000);
  const std::int64_t counted = clock.now() - before;
  EXPECT_GE(counted, 3'000'000);
  taken += taken_from_all_ns();
  EXPECT_LT(counted, 10'000'000);
  EXPECT_LE(clock.blocked(), std::max<std::int64_t>(taken, 0) + kBetweenReadings);
}

// Others that take the CPU away do not make it go on: more threads than there are cores.
TEST(ThreadClock, LeavesOutWhatOthersTake) {
  const auto cores = std::thread::hardware_concurrency();
  std::vector<std::thread> others;
  for (unsigned i = 0; i < 2 * cores; ++i) others.emplace_back([] { work(200'000'000); });
  ThreadClock clock;
  std::int64_t last = clock.now();
  const std::int64_t begun = last;
  const std::int64_t wall = now_ns();
  work(100'000'000);
  for (int i = 0; i < 1000; ++i) {
    const std::int64_t at = clock.now();
    EXPECT_GE(at, last);
    last = at;
  }
  const std::int64_t counted = last - begun;
  EXPECT_GE(counted, 100'000'000);
  EXPECT_LE(counted, now_ns() - wall);
  EXPECT_LT(counted - clock.blocked(), 115'000'000);
  for (std::thread& each : others) each.join();
}

// Nor where they take it just while the system's clocks are read, one after the other.
TEST(ThreadClock, TakesNothingOthersTakeForSleep) {
  const auto cores = std::thread::hardware_concurrency();
  std::vector<std::thread> others;
  for (unsigned i = 0; i < 3 * cores; ++i) others.emplace_back([] { work(400'000'000); });
  for (int i = 0; i < 1000; ++i) {
    const std::int64_t before = taken_from_all_ns();
    ThreadClock clock;
    for (int reading = 0; reading < 20; ++reading) {
      work(20'000);
      static_cast<void>(clock.now());
    }
    const std::int64_t taken = taken_from_all_ns() - before;
    EXPECT_LE(clock.blocked(), std::max<std::int64_t>(taken, 0) + kBetweenReadings);
  }
  for (std::thread& each : others) each.join();
}

// The cheap reading and the system's do not count alike, and the second comes after the first
// whenever another thread has taken the CPU between them.
TEST(ThreadClock, NeverGoesBack) {
  const auto cores = std::thread::hardware_concurrency();
  std::vector<std::thread> others;
  for (unsigned i = 0; i < 2 * cores; ++i) others.emplace_back([] { work(100'000'000); });
  ThreadClock clock;
  std::int64_t back = 0;
  for (int i = 0; i < 20'000; ++i) {
    clock.restart();
    const std::int64_t before = clock.now();
    if (i % 10 == 0) std::this_thread::yield();
    back = std::max(back, before - clock.now());
  }
  EXPECT_EQ(back, 0);
  for (std::thread& each : others) each.join();
}

}  // namespace
}  // namespace stretto
