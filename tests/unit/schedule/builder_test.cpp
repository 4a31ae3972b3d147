#include "schedule/builder.hpp"

#include <gtest/gtest.h>

namespace stretto {
namespace {

const Shape kBarrier{.collective = Collective::barrier, .size = 16};

TEST(Builder, TakesPeersForNumbersAmongSomeRanks) {
  const std::vector<Rank> list{3, 5, 8, 13};
  Builder step(kBarrier, 1);
  step.signal(2);
  step.among(RankMap::of(list.data()), [&] {
    step.signal(2);
    // Among the last three of these.
    step.among(RankMap::from(1), [&] { return step.signal(2); });
    return step.await(0);
  });
  step.signal(13);
  const Schedule schedule = step.finish();
  std::vector<Rank> peers;
  std::vector<int> ordinals;
  for (const Step& each : schedule.steps) {
    peers.push_back(each.peer);
    ordinals.push_back(each.ordinal);
  }
  EXPECT_EQ(peers, (std::vector<Rank>{2, 8, 13, 3, 13}));
  // They count by rank, whoever it is to whom.
  EXPECT_EQ(ordinals, (std::vector<int>{0, 0, 0, 0, 1}));
}

TEST(Builder, JoinsAllStepsFromOneOn) {
  Builder step(kBarrier, 0);
  step.signal(1);
  EXPECT_EQ(step.join_from(step.next()), kNoStep);
  const StepId first = step.next();
  EXPECT_EQ(step.signal(2), first);
  EXPECT_EQ(step.join_from(first), first);  // it stands for itself
  step.signal(3);
  const StepId all = step.join_from(first);
  const Schedule schedule = step.finish();
  const auto waits = schedule.waits_of(schedule.steps[static_cast<std::size_t>(all)]);
  EXPECT_EQ(std::vector(waits.begin(), waits.end()), (std::vector<StepId>{1, 2}));
}

}  // namespace
}  // namespace stretto
