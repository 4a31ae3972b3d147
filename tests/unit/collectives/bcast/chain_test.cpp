#include <gtest/gtest.h>

#include <cstddef>

#include "collectives/built.hpp"

namespace stretto {
namespace {

const Shape kFourSegments{
    .collective = Collective::bcast, .size = 5, .count = 10, .segment = 3, .root = 2};

TEST(BcastChain, AllSegmentsAreInFlightAtOnce) {
  for (const Schedule& rank : built("chain", kFourSegments)) {
    const auto sends = steps_of(rank, StepKind::send);
    const auto receives = steps_of(rank, StepKind::recv);
    EXPECT_EQ(sends.size(), rank.rank == 1 ? 0 : 4);
    EXPECT_EQ(receives.size(), rank.rank == 2 ? 0 : 4);
    for (const Step& step : receives) EXPECT_TRUE(starts_at_once(step));
    // A segment goes on as soon as that segment has come.
    for (const Step& step : sends) {
      ASSERT_EQ(step.waits, receives.empty() ? 0 : 1);
      if (!receives.empty()) {
        const StepId awaited = rank.waits_of(step)[0];
        EXPECT_EQ(rank.steps[static_cast<std::size_t>(awaited)].to, step.from);
      }
    }
  }
}

TEST(BcastChain, SegmentsMakeLongVectorsCostLittleMoreThanTheirLength) {
  Shape shape{.collective = Collective::bcast, .size = 8, .count = 600, .segment = 10};
  EXPECT_EQ(cost(built("chain", shape)).beta, (8 - 2 + 60) * 10);
  shape.segment = 0;
  EXPECT_EQ(cost(built("chain", shape)).beta, 7 * 600);
}

}  // namespace
}  // namespace stretto
