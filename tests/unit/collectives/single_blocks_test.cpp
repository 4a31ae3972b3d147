#include <gtest/gtest.h>

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

}  // namespace
}  // namespace stretto
