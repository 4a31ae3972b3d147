#include "bench/suite/clock_model.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace stretto::bench {
namespace {

// A clock that is ahead by `offset_ns` at first and gains `drift` ns a ns, read as over a network:
// of a burst the shortest round trip is known, whose two ways never take the same.
ClockReading read(double reference_ns, double offset_ns, double drift, std::mt19937& random) {
  std::exponential_distribution<double> longer(1.0 / 150);
  const double there = 1500 + longer(random);
  const double back = 1500 + longer(random);
  const double local = reference_ns + offset_ns + drift * reference_ns;
  // The answer is taken to have been written in the middle.
  const double middle_is_off = (there - back) / 2;
  return {.local_ns = local,
          .offset_ns = local - reference_ns + middle_is_off,
          .error_ns = (there + back) / 2};
}

TEST(ClockModel, RecoversAMillisecondAndTenPartsInAMillion) {
  std::mt19937 random(1);
  for (int trial = 0; trial < 200; ++trial) {
    ClockModel model;
    for (int burst = 0; burst <= 20; ++burst) {
      model.add(read(burst * 0.5e9, 1e6, 10e-6, random));
    }
    const double at = 10e9;
    const double local = at + 1e6 + 10e-6 * at;
    EXPECT_EQ(model.kind(), ClockModel::Kind::linear);
    EXPECT_NEAR(model.reference(local), at, 1000);
    EXPECT_NEAR(model.local(model.reference(local)), local, 0.01);
  }
}

TEST(ClockModel, TakesTheSimplestThatExplainsAllReadings) {
  std::mt19937 random(2);
  ClockModel shared;
  ClockModel constant;
  for (int burst = 0; burst < 10; ++burst) {
    shared.add(read(burst * 1e9, 0, 0, random));
    constant.add(read(burst * 1e9, 5e6, 0, random));
  }
  EXPECT_EQ(shared.kind(), ClockModel::Kind::shared);
  EXPECT_EQ(shared.reference(123), 123);
  EXPECT_EQ(shared.residual_ns(), 0);
  EXPECT_EQ(constant.kind(), ClockModel::Kind::constant);
  EXPECT_NEAR(constant.reference(5e6), 0, 500);
}

TEST(ClockModel, OneReadingGivesAnOffset) {
  ClockModel model;
  model.add({.local_ns = 0, .offset_ns = 7000, .error_ns = 100});
  EXPECT_EQ(model.kind(), ClockModel::Kind::constant);
  EXPECT_EQ(model.reference(10000), 3000);
  EXPECT_EQ(model.error_ns(), 100);
}

TEST(ClockModel, SaysByHowMuchReadingsAreOff) {
  ClockModel model;
  for (const double offset : {0.0, 50000.0, 0.0}) {
    model.add({.local_ns = offset, .offset_ns = offset, .error_ns = 100});
  }
  model.add({.local_ns = 1e5, .offset_ns = -50000, .error_ns = 100});
  EXPECT_GT(model.residual_ns(), 10000);
}

}  // namespace
}  // namespace stretto::bench
