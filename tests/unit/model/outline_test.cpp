// Works that become ready together, as one node.
#include "model/outline.hpp"

#include <gtest/gtest.h>

#include "collectives/algorithm.hpp"
#include "model/small_machines.hpp"
#include "schedule/builder.hpp"

namespace stretto::model {
namespace {

const Shape kShape{.collective = Collective::alltoall, .size = 3, .count = 8};

TEST(Outline, WorksThatWaitForTheSameAreOneNode) {
  Builder step(kShape, 0);
  const StepId first = step.copy(step.input({0, 1}), step.output({0, 1}));
  const StepId sent = step.send(1, step.input({1, 1}));
  const StepId second = step.copy(step.input({2, 1}), step.output({2, 1}));
  step.send(1, step.output({0, 1}), after(first, sent));
  step.reduce(step.input({3, 1}), step.output({0, 1}), after(first, second));
  step.copy(step.output({2, 1}), step.output({3, 1}), after(first, second));
  step.send(1, step.output({3, 1}), after(second, first));
  const Outline outline = outline_of(step.finish());

  ASSERT_EQ(outline.nodes.size(), 5U);
  const auto steps_of = [&](std::size_t node) {
    const auto members = outline.members_of(outline.nodes[node]);
    return std::vector<StepId>(members.begin(), members.end());
  };
  EXPECT_EQ(steps_of(0), (std::vector<StepId>{0, 2}));
  EXPECT_EQ(steps_of(1), (std::vector<StepId>{1}));
  EXPECT_EQ(steps_of(3), (std::vector<StepId>{4, 5}));
  const auto of_send = outline.waits_of(outline.nodes[2]);
  ASSERT_EQ(of_send.size(), 2U);
  EXPECT_EQ(of_send[0].node, 0);
  EXPECT_EQ(of_send[0].done, 1) << "for the first copy only";
  const auto of_works = outline.waits_of(outline.nodes[3]);
  ASSERT_EQ(of_works.size(), 1U);
  EXPECT_EQ(of_works[0].done, 2);
  EXPECT_EQ(outline.waits_of(outline.nodes[4])[0].done, 2) << "whatever the order of its waits";
  const auto awaited_of = [&](std::size_t node) {
    const auto awaited = outline.awaited_of(node);
    return std::vector<std::int32_t>(awaited.begin(), awaited.end());
  };
  EXPECT_EQ(awaited_of(0), (std::vector<std::int32_t>{2, 2, 1})) << "the last dependent first";
  EXPECT_EQ(awaited_of(1), (std::vector<std::int32_t>{1}));
  EXPECT_EQ(awaited_of(4), std::vector<std::int32_t>());
}

// Everything that waits for nothing is ready at 0, in the order of the schedule: a copy, a send, a
// copy; what waits for the first copy alone does not wait for the second.
TEST(Outline, TheEventsTakeAsLongAsStepByStep) {
  Machine machine = uniform(1000, 100, 0, 0);
  machine.copy = 10;
  machine.reduce = 3;
  Builder step(kShape, 0);
  const StepId first = step.copy(step.input({0, 1}), step.output({0, 1}));
  step.send(2, step.input({1, 1}));
  step.copy(step.input({2, 1}), step.output({2, 1}));
  step.send(1, step.output({0, 1}), after(first));
  std::vector<Schedule> ranks{step.finish()};
  for (const Rank rank : {1, 2}) {
    Builder other(kShape, rank);
    other.recv(0, other.output({0, 1}));
    ranks.push_back(other.finish());
  }

  const Outcome outcome = by_events(ranks, machine, all_at_once(3), 1);
  EXPECT_EQ(outcome.events, 6);
  // 10, then the send until 110, the second copy until 120, the second send until 220.
  EXPECT_EQ(outcome.ends[0], 220);
  EXPECT_EQ(outcome.ends[1], 220 + 1000 + 100);
  EXPECT_EQ(outcome.ends[2], 110 + 1000 + 100);
}

// As many as there are would not fit in memory one by one.
TEST(Outline, OfBrucksAlltoallHasAsManyNodesAsItHasRounds) {
  const Algorithm* bruck = find_algorithm(Collective::alltoall, "bruck");
  const Schedule schedule =
      bruck->build({.collective = Collective::alltoall, .size = 1024, .count = 1}, Layout(), 7);
  EXPECT_GT(schedule.steps.size(), 5000U);
  EXPECT_LT(outline_of(schedule).nodes.size(), 50U);
}

}  // namespace
}  // namespace stretto::model
