#include <gtest/gtest.h>

#include <cstddef>

#include "collectives/built.hpp"

namespace stretto {
namespace {

TEST(BarrierDissemination, EveryRankSignalsOnceARound) {
  for (const int size : {1, 2, 3, 8, 13}) {
    for (const Schedule& rank : built("dissemination", {Collective::barrier, size})) {
      EXPECT_EQ(number_of(rank, StepKind::send), levels(size));
      EXPECT_EQ(number_of(rank, StepKind::recv), levels(size));
    }
  }
}

TEST(BarrierDissemination, ASignalWaitsForAllEarlierRounds) {
  const Schedules ranks = built("dissemination", {Collective::barrier, 8});
  const auto sends = steps_of(ranks[3], StepKind::send);
  for (std::size_t i = 0; i < sends.size(); ++i) EXPECT_EQ(sends[i].waits, static_cast<int>(i));
}

}  // namespace
}  // namespace stretto
