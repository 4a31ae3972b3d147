#include "patterns/ring.hpp"

#include <gtest/gtest.h>

namespace stretto {
namespace {

TEST(Ring, BeforeUndoesAfter) {
  for (int size = 1; size <= 9; ++size) {
    for (int me = 0; me < size; ++me) {
      for (int steps = 0; steps <= size; ++steps) {
        EXPECT_EQ(Ring(size, Ring(size, me).after(steps)).before(steps), me);
      }
    }
  }
}

TEST(Ring, GoesRoundTheEnd) {
  EXPECT_EQ(Ring(5, 4).next(), 0);
  EXPECT_EQ(Ring(5, 0).previous(), 4);
  EXPECT_EQ(Ring(1, 0).next(), 0);
}

TEST(Ring, RoundsWithTheFirstBlocksAreAllThatSendOrGetThem) {
  for (int size = 1; size <= 9; ++size) {
    for (int me = 0; me < size; ++me) {
      for (int blocks = 0; blocks <= size; ++blocks) {
        const Ring ring(size, me);
        int skipped = 0;
        for (int round = ring.round_with(blocks, 0); round + 1 < size;
             round = ring.round_with(blocks, round + 1)) {
          for (; skipped < round; ++skipped) {
            EXPECT_GE(ring.before(skipped), blocks);
            EXPECT_GE(ring.before(skipped + 1), blocks);
          }
          ++skipped;
          EXPECT_LE(ring.before(round), blocks);
        }
        for (; skipped + 1 < size; ++skipped) EXPECT_GE(ring.before(skipped), blocks);
      }
    }
  }
}

}  // namespace
}  // namespace stretto
