#include "patterns/fold.hpp"

#include <gtest/gtest.h>

namespace stretto {
namespace {

// Whatever the target, survivors stand for all ranks in order, each for itself and
// perhaps its partner.
void expect_consistent(const Fold& sample, int size, auto&& fold_of) {
  int surviving = 0;
  for (int me = 0; me < size; ++me) {
    const Fold fold = fold_of(me);
    EXPECT_LE(fold.first_rank_of(fold.number()), me);
    EXPECT_GT(fold.first_rank_of(fold.number() + 1), me);
    if (fold.survives()) {
      ++surviving;
      EXPECT_EQ(fold.rank_of(fold.number()), me);
    } else {
      ASSERT_TRUE(fold.has_partner());
      EXPECT_TRUE(fold_of(fold.partner()).survives());
    }
    if (fold.has_partner()) {
      EXPECT_EQ(fold_of(fold.partner()).number(), fold.number());
    }
  }
  EXPECT_EQ(surviving, sample.survivors());
  EXPECT_EQ(sample.first_rank_of(sample.survivors()), size);
}

TEST(Fold, SurvivorsStandForAllRanksInOrder) {
  for (int size = 1; size <= 70; ++size) {
    expect_consistent(Fold::to_even(size, 0), size,
                      [&](int me) { return Fold::to_even(size, me); });
    for (int favoured = 0; favoured < size; ++favoured) {
      const auto fold_of = [&](int me) { return Fold::to_power_of_two(size, me, favoured); };
      expect_consistent(fold_of(0), size, fold_of);
      EXPECT_TRUE(fold_of(favoured).survives());
    }
  }
}

TEST(Fold, LeavesAsManyAsItSays) {
  EXPECT_EQ(Fold::to_power_of_two(13, 0).survivors(), 8);
  EXPECT_EQ(Fold::to_power_of_two(16, 0).survivors(), 16);
  EXPECT_EQ(Fold::to_even(13, 0).survivors(), 12);
  EXPECT_EQ(Fold::to_even(1, 0).survivors(), 1);
}

}  // namespace
}  // namespace stretto
