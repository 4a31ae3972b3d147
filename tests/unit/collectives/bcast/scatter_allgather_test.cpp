#include <gtest/gtest.h>

#include "collectives/built.hpp"

namespace stretto {
namespace {

TEST(BcastScatterAllgather, EveryElementReachesEveryOtherRankOnce) {
  for (const int size : {1, 2, 3, 8, 13}) {
    const Shape shape{.collective = Collective::bcast, .size = size, .count = 50, .root = size / 2};
    Count sent = 0;
    for (const Schedule& rank : built("scatter_allgather", shape)) {
      Count received = 0;
      for (const Step& step : steps_of(rank, StepKind::recv)) received += step.to.span.count;
      EXPECT_EQ(received, rank.rank == shape.root ? 0 : 50);
      for (const Step& step : steps_of(rank, StepKind::send)) sent += step.from.span.count;
    }
    EXPECT_EQ(sent, (size - 1) * 50);
  }
}

TEST(BcastScatterAllgather, NeedsNoScratch) {
  const Shape shape{.collective = Collective::bcast, .size = 13, .count = 50, .root = 4};
  EXPECT_EQ(cost(built("scatter_allgather", shape)).max_scratch, 0);
}

}  // namespace
}  // namespace stretto
