// Which reductions may take what is received before it is where it belongs.

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "collectives/claims.hpp"
#include "engine/plan.hpp"
#include "schedule/verify.hpp"
#include "schedule/verify_cases.hpp"

namespace stretto {
namespace {

Plan plan_of(Collective collective, const char* name, int size, Rank me, Shape shape = {}) {
  const Algorithm& made_by = *find_algorithm(collective, name);
  shape.collective = collective;
  shape.size = size;
  shape.count = 1000;
  return Plan(made_by, made_by.build(shape, Layout(), me));
}

int number_of_last_uses(const Plan& plan) {
  return static_cast<int>(std::ranges::count(plan.reductions, true, &Plan::Reduction::is_last_use));
}

TEST(Reductions, OfTwoRanksTakeWhatComes) {
  EXPECT_EQ(number_of_last_uses(plan_of(Collective::reduce, "binomial", 2, 0)), 1);
  EXPECT_EQ(number_of_last_uses(plan_of(Collective::reduce, "binomial", 2, 0, {.in_place = true})),
            1);
  EXPECT_EQ(number_of_last_uses(plan_of(Collective::allreduce, "rabenseifner", 2, 1)), 1);
  EXPECT_EQ(number_of_last_uses(plan_of(Collective::scan, "recursive_doubling", 2, 1)), 1);
  EXPECT_TRUE(plan_of(Collective::reduce, "binomial", 2, 1).reductions.empty());
}

// What the others have is added to it where it lies.
TEST(Reductions, InPlaceNeedNoCopy) {
  const Plan plan = plan_of(Collective::reduce, "binomial", 4, 0, {.in_place = true});
  EXPECT_EQ(std::ranges::count(plan.schedule.steps, StepKind::copy, &Step::kind), 0);
  EXPECT_EQ(std::ranges::count(plan.schedule.steps, StepKind::reduce, &Step::kind), 2);
}

// What rank 1 receives is its result, and goes into a sum, too.
TEST(Reductions, DoNotTakeWhatIsAResultAsWell) {
  const Plan plan = plan_of(Collective::exscan, "recursive_doubling", 5, 1);
  EXPECT_FALSE(plan.reductions.empty());
  EXPECT_EQ(number_of_last_uses(plan), 0);
}

// Elsewhere, where nobody looks: had another step or the program need of it the result would be
// wrong.
Schedule with_operands_elsewhere(const Algorithm& algorithm, Schedule schedule, int& moved) {
  const Plan plan(algorithm, schedule);
  for (std::size_t s = 0; s < plan.reductions.size(); ++s) {
    const auto& [step, is_last_use] = plan.reductions[s];
    if (!is_last_use) continue;
    Region& received = schedule.steps[s].to;
    Step& reduction = schedule.steps[static_cast<std::size_t>(step)];
    if (reduction.to == received) continue;
    received = {Buffer::scratch, {schedule.scratch, received.span.count}};
    reduction.from = received;
    schedule.scratch += received.span.count;
    ++moved;
  }
  return schedule;
}

TEST(Reductions, NeedNotHaveWhatTheyTakeWhereItBelongs) {
  int moved = 0;
  for (const Algorithm* algorithm : algorithms()) {
    if (!reduces(algorithm->collective)) continue;
    const Claims claims = claims_of(*algorithm);
    for (const int size : {2, 3, 4, 5, 8, 9}) {
      for (const Shape& shape : shapes_to_prove(claims, size)) {
        for (const Layout& layout : layouts_to_prove(claims, size)) {
          std::vector<Schedule> ranks = build_all(algorithm->build, shape, layout);
          for (Schedule& rank : ranks) {
            rank = with_operands_elsewhere(*algorithm, std::move(rank), moved);
          }
          const auto fault = verify(algorithm->name, shape, ranks, layout);
          ASSERT_FALSE(fault) << fault->message;
        }
      }
    }
  }
  EXPECT_GT(moved, 1000);
}

}  // namespace
}  // namespace stretto
