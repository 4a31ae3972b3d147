// Work on a CPU that something else takes now and then.
#include "model/interruptions.hpp"

#include <gtest/gtest.h>

#include <random>

namespace stretto::model {
namespace {

// When the first interruption of the rank begins.
double phase_of(const Interrupted& cpu, const Noise& noise) {
  for (double at = 0; at < noise.period; at += 0.125) {
    if (cpu.after(0, at, 0.125) > at + 0.125) return at;
  }
  return -1;
}

TEST(Interrupted, GoesOnWhenTheInterruptionIsOver) {
  const Noise noise{.period = 100, .lasts = 10, .seed = 7};
  const Interrupted cpu(noise, 1);
  const double phase = phase_of(cpu, noise);
  ASSERT_GE(phase, 0);
  const double safe = phase + 10.5;  // just after the first one
  EXPECT_DOUBLE_EQ(cpu.after(0, safe, 50), safe + 50);
  EXPECT_DOUBLE_EQ(cpu.after(0, safe, 95), safe + 95 + 10);
  EXPECT_DOUBLE_EQ(cpu.after(0, safe, 95 + 90), safe + 95 + 90 + 20);
}

// Work cut in two takes as long as in one piece.
TEST(Interrupted, WorkInPiecesTakesAsLong) {
  const Interrupted cpu({.period = 64, .lasts = 8, .seed = 3}, 4);
  std::mt19937 random(1);
  std::uniform_int_distribution<int> some(1, 4000);
  for (int i = 0; i < 2000; ++i) {
    const Rank rank = i % 4;
    const double start = some(random);
    const double first = some(random) / 8.0;
    const double second = some(random) / 8.0;
    const double middle = cpu.after(rank, start, first);
    EXPECT_NEAR(cpu.after(rank, middle, second), cpu.after(rank, start, first + second), 1e-6);
  }
}

// In the long run the share of the interruptions is lasts / period.
TEST(Interrupted, TakesItsShare) {
  const Interrupted cpu({.period = 1000, .lasts = 250, .seed = 1}, 1);
  EXPECT_NEAR(cpu.after(0, 0, 3e6), 4e6, 1000);
}

TEST(Interrupted, EachRankHasItsOwnPhase) {
  const Interrupted cpu({.period = 1e6, .lasts = 1000, .seed = 1}, 2);
  EXPECT_NE(cpu.after(0, 0, 2e6), cpu.after(1, 0, 2e6) + 1);
  const Noise noise{.period = 100, .lasts = 10, .seed = 7};
  EXPECT_NE(phase_of(Interrupted(noise, 1), noise),
            phase_of(Interrupted({.period = 100, .lasts = 10, .seed = 8}, 1), noise));
}

}  // namespace
}  // namespace stretto::model
