#include "patterns/chain.hpp"

#include <gtest/gtest.h>

namespace stretto {
namespace {

TEST(Chain, LeadsFromHeadToTailThroughEveryRank) {
  for (int size = 1; size <= 9; ++size) {
    for (int head = 0; head < size; ++head) {
      int rank = head;
      EXPECT_TRUE(Chain(size, head, rank).is_head());
      for (int passed = 1; passed < size; ++passed) {
        EXPECT_FALSE(Chain(size, head, rank).is_tail());
        const int next = Chain(size, head, rank).towards_tail();
        EXPECT_FALSE(Chain(size, head, next).is_head());
        EXPECT_EQ(Chain(size, head, next).towards_head(), rank);
        rank = next;
      }
      EXPECT_TRUE(Chain(size, head, rank).is_tail());
    }
  }
}

}  // namespace
}  // namespace stretto
