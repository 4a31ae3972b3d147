#include "intercept/whatif/poll_times.hpp"

#include <gtest/gtest.h>

namespace stretto::intercept::whatif {
namespace {

// Asks so often in vain; each timed call takes `ns`.
void ask_in_vain(PollTimes& times, int often, std::int64_t ns) {
  for (int i = 0; i < often; ++i) {
    if (times.is_due()) times.took(ns);
    times.found_nothing();
  }
}

TEST(PollTimes, AreThoseOfTheUsualCallThatFoundNothing) {
  PollTimes times;
  EXPECT_EQ(times.total_ns(1000), 0);
  ask_in_vain(times, 160, 70);
  ask_in_vain(times, 16, 9000);  // the kernel took the core
  for (int i = 0; i < 640; ++i) {
    if (times.is_due()) times.took(500);  // it found something
    times.forget();
  }
  EXPECT_EQ(times.total_ns(1'000'000), 70'000'000);
}

TEST(PollTimes, CountWhatWasBetweenThem) {
  PollTimes times;
  times.left_out(30);
  times.left_out(12);
  EXPECT_EQ(times.total_ns(2), 42);
}

TEST(PollTimes, OfMillionsAreTakenOfThousandsAlone) {
  PollTimes times;
  ask_in_vain(times, 100'000, 50);
  for (int i = 0; i < 1000; ++i) EXPECT_FALSE(times.is_due());
  EXPECT_EQ(times.total_ns(100'000'000), 5'000'000'000);
}

}  // namespace
}  // namespace stretto::intercept::whatif
