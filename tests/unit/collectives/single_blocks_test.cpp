#include <gtest/gtest.h>

#include <algorithm>
#include <tuple>
#include <vector>

#include "collectives/built.hpp"
#include "schedule/verify_cases.hpp"

namespace stretto {
namespace {

Count largest(const Step& step) { return std::max(step.from.span.count, step.to.span.count); }

// What runs collectives whose blocks differ in size must not name two of them together.
TEST(SingleBlocks, WhoClaimsThemNamesOneAtATime) {
  int claimants = 0;
  for (const Algorithm* each : algorithms()) {
    if (!each->single_blocks) continue;
    ++claimants;
    for (int size = 1; size <= 9; ++size) {
      for (const Shape& shape : shapes_to_prove({.collective = each->collective}, size)) {
        if (shape.count != 1) continue;
        for (const Schedule& rank : build_all(each->build, shape)) {
          EXPECT_LE(rank.scratch, size) << each->name;
          for (const Step& step : rank.steps) EXPECT_LE(largest(step), 1) << each->name;
        }
      }
    }
  }
  EXPECT_GE(claimants, 6);
}

// Of an alltoall each rank chooses by the sizes of its own blocks: others may choose differently.
TEST(SingleBlocks, AllThatRunAnAlltoallOfThemSendTheSameMessages) {
  const auto messages_of = [](const Schedule& rank) {
    std::vector<std::tuple<StepKind, Rank, int, Buffer, Count>> all;
    for (const StepKind kind : {StepKind::send, StepKind::recv}) {
      for (const Step& step : steps_of(rank, kind)) {
        const Region& block = kind == StepKind::send ? step.from : step.to;
        all.emplace_back(kind, step.peer, step.ordinal, block.buffer, block.span.offset);
      }
    }
    std::ranges::sort(all);
    return all;
  };
  for (int size = 2; size <= 9; ++size) {
    for (const bool in_place : {false, true}) {
      const Shape shape{
          .collective = Collective::alltoall, .size = size, .count = 1, .in_place = in_place};
      const Schedules expected = built("linear", shape);
      for (const Algorithm* each : algorithms()) {
        if (each->collective != Collective::alltoall || !each->single_blocks) continue;
        const Schedules found = build_all(each->build, shape);
        for (std::size_t rank = 0; rank < found.size(); ++rank) {
          EXPECT_EQ(messages_of(found[rank]), messages_of(expected[rank])) << each->name;
        }
      }
    }
  }
}

}  // namespace
}  // namespace stretto
