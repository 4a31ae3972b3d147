#include <gtest/gtest.h>

#include "collectives/built.hpp"

namespace stretto {
namespace {

TEST(GatherBinomial, LeavesSendTheirBlockFromWhereItIs) {
  const Shape shape{.collective = Collective::gather, .size = 13, .count = 5};
  const Schedule leaf = built("binomial", shape)[7];
  ASSERT_EQ(leaf.steps.size(), 1);
  EXPECT_EQ(leaf.steps[0].from.buffer, Buffer::send);
}

}  // namespace
}  // namespace stretto
