#include "patterns/cyclic.hpp"

#include <gtest/gtest.h>

namespace stretto {
namespace {

TEST(CyclicRun, SplitsWhereTheCircleEnds) {
  const CyclicRun within{8, 3, 5};
  EXPECT_EQ(within.straight(), 5);
  EXPECT_EQ(within.wrapped(), 0);

  const CyclicRun across{8, 6, 5};
  EXPECT_EQ(across.straight(), 2);
  EXPECT_EQ(across.wrapped(), 3);
}

}  // namespace
}  // namespace stretto
