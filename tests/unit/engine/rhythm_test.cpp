#include "engine/rhythm.hpp"

#include <gtest/gtest.h>

namespace stretto {
namespace {

TEST(Rhythm, IsNotKnownBeforeTheFirstEvent) { EXPECT_EQ(Rhythm().first_poll_ns(), 0); }

TEST(Rhythm, LearnsAGapThatLooksHaveBounded) {
  Rhythm rhythm;
  rhythm.found(1000, true);
  EXPECT_EQ(rhythm.first_poll_ns(), 1000);
}

TEST(Rhythm, LooksSoonerWhereWhatWasFoundMayHaveLainThere) {
  Rhythm rhythm;
  for (int i = 0; i < 50; ++i)
    rhythm.found(std::max<std::int64_t>(rhythm.first_poll_ns(), 800), false);
  EXPECT_LT(rhythm.first_poll_ns(), 1000);
}

TEST(Rhythm, ForgetsARankThatCameLateOnce) {
  Rhythm rhythm;
  rhythm.found(1'000'000, true);
  rhythm.found(60'000'000'000, true);
  for (int i = 0; i < 5; ++i) rhythm.found(1'000'000, true);
  EXPECT_LT(rhythm.first_poll_ns(), 1'300'000);
}

TEST(Pace, EventsOfOneLookAreOne) {
  Rhythm rhythm;
  Pace pace;
  pace.start(100, 7);
  pace.event(rhythm, 1100, 9);
  pace.event(rhythm, 1110, 9);
  EXPECT_EQ(rhythm.first_poll_ns(), 1000);
  EXPECT_EQ(pace.expected_ns(rhythm), 1100 + 1000);
}

}  // namespace
}  // namespace stretto
