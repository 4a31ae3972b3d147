// Which round each step of a rank takes place in.
#include "model/round_positions.hpp"

#include <gtest/gtest.h>

#include "model/forms.hpp"
#include "schedule/builder.hpp"

namespace stretto::model {
namespace {

const Shape kRoundsShape{.collective = Collective::alltoall, .size = 64, .count = 1};

// Sends to `to`, receives from `from` and reduces what came, so many times.
Schedule exchanges(Rank me, Rank to, Rank from, int times) {
  Builder step(kRoundsShape, me);
  StepId ready = kNoStep;
  for (int i = 0; i < times; ++i) {
    const StepId sent = step.send(to, step.input({0, 1}), after(ready));
    const StepId received = step.recv(from, step.scratch({0, 1}), after(ready));
    ready = step.reduce(step.scratch({0, 1}), step.output({0, 1}), after(sent, received));
  }
  return step.finish();
}

TEST(RoundPositions, OfAnExchangeAreOneRoundEachTime) {
  const RoundPositions positions = round_positions_of(exchanges(0, 1, 2, 2));
  ASSERT_TRUE(positions.fit);
  EXPECT_EQ(positions.rounds, 3U);  // the last one is work only
  const std::vector<std::uint32_t> rounds{0, 0, 1, 1, 1, 2};
  for (std::size_t i = 0; i < rounds.size(); ++i)
    EXPECT_EQ(positions.steps[i].round, rounds[i]) << i;
}

TEST(RoundPositions, AreKnownForSchedulesThatDifferInTheirPeersOnly) {
  KnownForms<RoundPositions> known;
  const RoundPositions* first = &known.of(exchanges(0, 1, 2, 2), round_positions_of);
  EXPECT_EQ(first, &known.of(exchanges(3, 4, 5, 2), round_positions_of));
  EXPECT_EQ(known.of(exchanges(0, 1, 2, 3), round_positions_of).rounds, 4U);
}

TEST(RoundPositions, AreRightAfterManyOtherForms) {
  KnownForms<RoundPositions> known;
  for (int turn = 0; turn < 2; ++turn) {
    for (int times = 1; times < 30; ++times) {
      const RoundPositions& positions = known.of(exchanges(0, 1, 2, times), round_positions_of);
      EXPECT_EQ(positions.rounds, static_cast<std::uint32_t>(times) + 1);
      EXPECT_EQ(positions.steps.size(), static_cast<std::size_t>(3 * times));
    }
  }
}

TEST(RoundPositions, WorkBeforeTheSendAndAfterItIsCountedApart) {
  Builder step(kRoundsShape, 0);
  const StepId copied = step.copy(step.input({0, 1}), step.output({0, 1}));
  const StepId sent = step.send(1, step.output({0, 1}), after(copied));
  step.copy(step.input({1, 1}), step.output({1, 1}), after(sent));
  const RoundPositions positions = round_positions_of(step.finish());
  ASSERT_TRUE(positions.fit);
  EXPECT_EQ(positions.rounds, 1U);
  EXPECT_FALSE(positions.steps[0].after_send);
  EXPECT_TRUE(positions.steps[2].after_send);
  EXPECT_EQ(positions.steps[2].number, 0U);
}

}  // namespace
}  // namespace stretto::model
