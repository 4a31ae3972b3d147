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

}  // namespace
}  // namespace stretto
