#include <gtest/gtest.h>

#include "collectives/built.hpp"
#include "collectives/window.hpp"
#include "schedule/verify_layouts.hpp"

namespace stretto {
namespace {

// Hosts of eight ranks, for who asks.
Layout some_layout(int size) {
  return layout_of_places({{kHostLevel, {8}}}, size, Placement::in_order);
}

// What a schedule takes to build and to keep grows with its steps, not with their square.
TEST(Waits, AreFewForEachStepAmongManyRanks) {
  constexpr int kRanks = 1200;
  const Layout layout = some_layout(kRanks);
  for (const Algorithm* each : algorithms()) {
    if (is_neighborhood(each->collective)) continue;
    for (const Count count : {1, kRanks}) {
      const Shape shape{.collective = each->collective,
                        .size = kRanks,
                        .count = count,
                        .segment = count / 16,
                        .first_group = each->two_groups ? kRanks / 2 : 0};
      const Schedule built = each->build(shape, layout, kRanks - 1);
      EXPECT_LE(built.waits.size(), 4 * (built.steps.size() + 1))
          << name_of(each->collective) << ' ' << each->name;
    }
  }
}

// So the simulator need not build what moves nothing.
TEST(Steps, AreNoneOfNoElementsButInABarrier) {
  constexpr int kRanks = 12;
  const Layout layout = some_layout(kRanks);
  for (const Algorithm* each : algorithms()) {
    for (Rank rank = 0; rank < kRanks; ++rank) {
      const Shape shape{.collective = each->collective,
                        .size = kRanks,
                        .first_group = each->two_groups ? kRanks / 2 : 0,
                        .graph = std::make_shared<const Graph>(ring_graph(kRanks))};
      EXPECT_EQ(each->build(shape, layout, rank).steps.empty(),
                each->collective != Collective::barrier)
          << name_of(each->collective) << ' ' << each->name;
    }
  }
}

// How many messages of a kind are under way when none of them ends but all else does.
int under_way(const Schedule& schedule, StepKind stuck) {
  std::vector<std::vector<StepId>> dependents(schedule.steps.size());
  std::vector<StepId> ready;
  std::vector<int> left;
  for (StepId id = 0; id < std::ssize(schedule.steps); ++id) {
    const Step& step = schedule.steps[static_cast<std::size_t>(id)];
    for (const StepId before : schedule.waits_of(step)) {
      dependents[static_cast<std::size_t>(before)].push_back(id);
    }
    left.push_back(step.waits);
    if (left.back() == 0) ready.push_back(id);
  }
  int found = 0;
  while (!ready.empty()) {
    const auto id = static_cast<std::size_t>(ready.back());
    ready.pop_back();
    if (schedule.steps[id].kind == stuck) {
      ++found;
      continue;
    }
    for (const StepId next : dependents[id]) {
      if (--left[static_cast<std::size_t>(next)] == 0) ready.push_back(next);
    }
  }
  return found;
}

// A look at the messages under way takes the longer the more they are.
TEST(Waits, LetAFewHundredMessagesBeUnderWayAtATime) {
  for (const Algorithm* each : algorithms()) {
    if (is_neighborhood(each->collective)) continue;
    for (const bool commutative : {false, true}) {
      if (!commutative && !each->keeps_rank_order) continue;
      // With many ranks, and in many segments.
      for (const int size : {4, 700}) {
        const Shape shape{.collective = each->collective,
                          .size = size,
                          .count = 1400,
                          .segment = 1,
                          .root = size / 2,
                          .commutative = commutative,
                          .first_group = each->two_groups ? size / 2 : 0};
        const Layout layout = some_layout(size);
        for (const Rank me : {0, 1, size / 2, size - 1}) {
          const Schedule built = each->build(shape_on_rank(shape, me), layout, me);
          for (const StepKind kind : {StepKind::send, StepKind::recv}) {
            EXPECT_LE(under_way(built, kind), kMostInFlight + levels(size))
                << name_of(each->collective) << ' ' << each->name << ", " << size << " ranks, rank "
                << me;
          }
        }
      }
    }
  }
}

TEST(Waits, OfMessagesForEarlierOnesComeToAnEnd) {
  for (const Algorithm* each : algorithms()) {
    if (is_neighborhood(each->collective)) continue;
    for (const bool in_place : {false, true}) {
      const bool many = !each->uses_segment;
      const int size = many ? 262 : 3;
      const Shape shape{.collective = each->collective,
                        .size = size,
                        .count = many ? 1 : 800,
                        .segment = 1,
                        .root = 1,
                        .in_place = in_place && has_in_place(each->collective) && !each->two_groups,
                        .commutative = !each->keeps_rank_order,
                        .first_group = each->two_groups ? size / 2 : 0};
      const Layout layout = some_layout(size);
      const auto fault = verify(each->name, shape, build_all(each->build, shape, layout));
      EXPECT_FALSE(fault) << name_of(each->collective) << ' ' << each->name << ": "
                          << fault->message;
    }
  }
}

}  // namespace
}  // namespace stretto
