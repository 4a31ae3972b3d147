#include "schedule/after.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

namespace stretto {
namespace {

std::vector<StepId> ids_of(const After& after) {
  std::vector<StepId> ids;
  after.append_to(ids);
  EXPECT_EQ(ids.size(), after.size());
  return ids;
}

TEST(After, LeavesOutNoStepAndRepeats) {
  EXPECT_TRUE(after(kNoStep).empty());
  EXPECT_EQ(ids_of(after(3, kNoStep, 1, 3)), (std::vector<StepId>{3, 1}));
}

TEST(After, KeepsMoreThanAFew) {
  const std::vector<StepId> many{9, 8, 7, 6, 5, 4, 3};
  After all = after(many);
  for (const StepId id : many) all.add(id);
  EXPECT_EQ(ids_of(all), (std::vector<StepId>{9, 8, 7, 6, 3, 4, 5}));
}

// Were each compared with all before it, this would take an hour.
TEST(After, KeepsAMillion) {
  std::vector<StepId> many(1 << 20);
  std::iota(many.begin(), many.end(), 0);
  EXPECT_EQ(ids_of(after(many)), many);
}

}  // namespace
}  // namespace stretto
