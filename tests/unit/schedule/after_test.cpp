#include "schedule/after.hpp"

#include <gtest/gtest.h>

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
  EXPECT_EQ(ids_of(all), many);
}

}  // namespace
}  // namespace stretto
