// When a warm-up is over, on made-up times of calls.
#include "bench/suite/warm_up.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <random>
#include <vector>

namespace stretto::bench {
namespace {

using TimeOf = std::function<double(std::size_t call)>;  // in ns; calls count from 1

struct Warmed {
  std::size_t calls = 0;
  CallsSoFar end = CallsSoFar::too_few;
};

Warmed warmed_up(const TimeOf& time_of, const Settings& settings) {
  std::vector<double> times;
  double spent = 0;
  for (int more = 1; more > 0;) {
    more = more_warm_up(times, static_cast<std::int64_t>(spent), settings);
    for (int i = 0; i < more; ++i) {
      times.push_back(time_of(times.size() + 1));
      spent += times.back();
    }
  }
  return {.calls = times.size(), .end = judge(times)};
}

// As of a real machine: most calls are close together, some take much longer.
double noisy(double usual, std::mt19937& random) {
  std::exponential_distribution<double> longer(1 / (0.1 * usual));
  std::bernoulli_distribution disturbed(0.02);
  return usual + longer(random) + (disturbed(random) ? 20 * usual : 0);
}

const Settings kUsual{.budget_ns = 50'000'000};

class Switch : public testing::TestWithParam<std::size_t> {};

TEST_P(Switch, IsBehindTheWarmUp) {
  std::mt19937 random(1);
  for (int trial = 0; trial < 100; ++trial) {
    for (const double before : {800.0, 2000.0}) {  // times that rise and that fall
      const auto time_of = [&](std::size_t call) {
        return noisy(call < GetParam() ? before : 1200, random);
      };
      EXPECT_GT(warmed_up(time_of, kUsual).calls, GetParam());
    }
  }
}

INSTANTIATE_TEST_SUITE_P(AtCall, Switch, testing::Values(2, 6, 10, 11, 40, 50, 64, 70));

TEST(WarmUp, OfCallsThatAreAlikeIsShortInSpiteOfNoise) {
  std::mt19937 random(2);
  int changing = 0;
  int longer = 0;
  for (int trial = 0; trial < 1000; ++trial) {
    const Warmed found = warmed_up([&](auto) { return noisy(1e5, random); }, kUsual);
    changing += found.end == CallsSoFar::changing ? 1 : 0;
    longer += found.calls > 80 ? 1 : 0;
  }
  EXPECT_EQ(changing, 0);
  EXPECT_LE(longer, 20);
}

TEST(WarmUp, IsBehindSlowCallsThatNoMedianShows) {
  std::mt19937 random(3);
  const auto first_touches = [&](std::size_t call) {
    return noisy(500, random) + (call < 430 && call % 8 == 0 ? 25'000 : 0);
  };
  for (int trial = 0; trial < 100; ++trial) {
    EXPECT_GT(warmed_up(first_touches, kUsual).calls, 430U);
  }
}

TEST(WarmUp, OfASlowDriftGoesOnUntilItsTimeIsSpentAndSaysSo) {
  double spent = 0;
  const auto drifts = [&](std::size_t call) {
    const double time = 1000 * (1 + 0.01 * static_cast<double>(call));
    spent += time;
    return time;
  };
  const Warmed found = warmed_up(drifts, kUsual);
  EXPECT_EQ(found.end, CallsSoFar::changing);
  EXPECT_GT(found.calls, 80U);
  EXPECT_LT(spent, static_cast<double>(kUsual.budget_ns));
}

TEST(WarmUp, EndsWhereTheDriftDoes) {
  const auto settles = [](std::size_t call) {
    return 1000 + 10 * static_cast<double>(std::min<std::size_t>(call, 100));
  };
  const Warmed found = warmed_up(settles, kUsual);
  EXPECT_EQ(found.end, CallsSoFar::alike);
  EXPECT_GT(found.calls, 100U);
}

TEST(WarmUp, OfDearCallsIsWhatWasAskedFor) {
  const auto dear = [](auto) { return 5e6; };
  EXPECT_EQ(warmed_up(dear, kUsual).calls, 10U);
  const Settings three{.budget_ns = 1, .warmup = 3};
  EXPECT_EQ(warmed_up(dear, three).calls, 3U);
  EXPECT_EQ(warmed_up(dear, three).end, CallsSoFar::too_few);
}

TEST(WarmUp, IsAsLongAsAskedForAndNoneWhereNoneIs) {
  const auto cheap = [](auto) { return 1000.0; };
  EXPECT_EQ(warmed_up(cheap, {.budget_ns = 50'000'000, .warmup = 5000}).calls, 5000U);
  EXPECT_EQ(warmed_up(cheap, {.budget_ns = 50'000'000, .warmup = 0}).calls, 0U);
}

TEST(WarmUp, AClocksGrainIsNoChange) {
  std::vector<double> times(20, 200);
  std::ranges::fill(times.begin() + 15, times.end(), 240);
  EXPECT_EQ(judge(times), CallsSoFar::alike);
}

}  // namespace
}  // namespace stretto::bench
