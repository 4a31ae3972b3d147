#include "patterns/cyclic.hpp"

#include <gtest/gtest.h>

namespace stretto {
namespace {

TEST(CyclicRun, SplitsWhereTheCircleEnds) {
  const CyclicRun within{8, 3, 5, 10};
  EXPECT_EQ(within.straight, (Span{30, 50}));
  EXPECT_EQ(within.wrapped, (Span{0, 0}));

  const CyclicRun across{8, 6, 5, 10};
  EXPECT_EQ(across.straight, (Span{60, 20}));
  EXPECT_EQ(across.wrapped, (Span{0, 30}));
}

}  // namespace
}  // namespace stretto
