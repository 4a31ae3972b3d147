#include <gtest/gtest.h>

#include "collectives/built.hpp"

namespace stretto {
namespace {

// What a schedule takes to build and to keep grows with its steps, not with their square.
TEST(Waits, AreFewForEachStepAmongManyRanks) {
  constexpr int kRanks = 1200;
  for (const Algorithm* each : algorithms()) {
    if (is_neighborhood(each->collective)) continue;
    for (const Count count : {1, kRanks}) {
      const Shape shape{.collective = each->collective,
                        .size = kRanks,
                        .count = count,
                        .segment = count / 16,
                        .first_group = each->two_groups ? kRanks / 2 : 0};
      const Schedule built = each->build(shape, kRanks - 1);
      EXPECT_LE(built.waits.size(), 40 * (built.steps.size() + 1))
          << name_of(each->collective) << ' ' << each->name;
    }
  }
}

}  // namespace
}  // namespace stretto
