#include <gtest/gtest.h>

#include "collectives/built.hpp"

namespace stretto {
namespace {

// What a schedule takes to build and to keep grows with its steps, not with their square.
TEST(Waits, AreFewForEachStepAmongManyRanks) {
  constexpr int kRanks = 1200;
  for (const Algorithm* each : algorithms()) {
    if (is_neighborhood(each->collective)) continue;
    for (const Count count : {1, kRanks}) {
      const Shape shape{.collective = each->collective,
                        .size = kRanks,
                        .count = count,
                        .segment = count / 16,
                        .first_group = each->two_groups ? kRanks / 2 : 0};
      const Schedule built = each->build(shape, kRanks - 1);
      EXPECT_LE(built.waits.size(), 40 * (built.steps.size() + 1))
          << name_of(each->collective) << ' ' << each->name;
    }
  }
}

// Not all of 100,000 ranks' messages are in flight at once.
TEST(Waits, LetAFewHundredMessagesBeginAtATime) {
  for (const Collective collective :
       {Collective::alltoall, Collective::allgather, Collective::reduce_scatter}) {
    const Shape shape{.collective = collective, .size = 300, .count = 1};
    const Schedules ranks = built("linear", shape);
    const auto fault = verify("linear", shape, ranks);
    EXPECT_FALSE(fault) << fault->message;
    const auto begin_at_once = [](const Step& step) {
      return step.waits == 0 && (step.kind == StepKind::send || step.kind == StepKind::recv);
    };
    EXPECT_EQ(std::ranges::count_if(ranks[0].steps, begin_at_once), 2 * 256);
  }
}

}  // namespace
}  // namespace stretto
