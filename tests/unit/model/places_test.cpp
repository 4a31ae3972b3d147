// Which round each step of a rank takes place in.
#include "model/places.hpp"

#include <gtest/gtest.h>

#include "model/forms.hpp"
#include "schedule/builder.hpp"

namespace stretto::model {
namespace {

const Shape kShape{.collective = Collective::alltoall, .size = 64, .count = 1};

// Sends to `to`, receives from `from` and reduces what came, so many times.
Schedule exchanges(Rank me, Rank to, Rank from, int times) {
  Builder step(kShape, me);
  StepId ready = kNoStep;
  for (int i = 0; i < times; ++i) {
    const StepId sent = step.send(to, step.input({0, 1}), after(ready));
    const StepId received = step.recv(from, step.scratch({0, 1}), after(ready));
    ready = step.reduce(step.scratch({0, 1}), step.output({0, 1}), after(sent, received));
  }
  return step.finish();
}

TEST(Places, OfAnExchangeAreOneRoundEachTime) {
  const Places places = places_of(exchanges(0, 1, 2, 2));
  ASSERT_TRUE(places.fit);
  EXPECT_EQ(places.rounds, 3U);  // the last one is work only
  const std::vector<std::uint32_t> rounds{0, 0, 1, 1, 1, 2};
  for (std::size_t i = 0; i < rounds.size(); ++i) EXPECT_EQ(places.steps[i].round, rounds[i]) << i;
}

TEST(Places, AreKnownForSchedulesThatDifferInTheirPeersOnly) {
  KnownForms<Places> known;
  const Places* first = &known.of(exchanges(0, 1, 2, 2), places_of);
  EXPECT_EQ(first, &known.of(exchanges(3, 4, 5, 2), places_of));
  EXPECT_EQ(known.of(exchanges(0, 1, 2, 3), places_of).rounds, 4U);
}

TEST(Places, AreRightAfterManyOtherForms) {
  KnownForms<Places> known;
  for (int turn = 0; turn < 2; ++turn) {
    for (int times = 1; times < 30; ++times) {
      const Places& places = known.of(exchanges(0, 1, 2, times), places_of);
      EXPECT_EQ(places.rounds, static_cast<std::uint32_t>(times) + 1);
      EXPECT_EQ(places.steps.size(), static_cast<std::size_t>(3 * times));
    }
  }
}

TEST(Places, WorkBeforeTheSendAndAfterItIsCountedApart) {
  Builder step(kShape, 0);
  const StepId copied = step.copy(step.input({0, 1}), step.output({0, 1}));
  const StepId sent = step.send(1, step.output({0, 1}), after(copied));
  step.copy(step.input({1, 1}), step.output({1, 1}), after(sent));
  const Places places = places_of(step.finish());
  ASSERT_TRUE(places.fit);
  EXPECT_EQ(places.rounds, 1U);
  EXPECT_FALSE(places.steps[0].after_send);
  EXPECT_TRUE(places.steps[2].after_send);
  EXPECT_EQ(places.steps[2].number, 0U);
}

}  // namespace
}  // namespace stretto::model
