#include <gtest/gtest.h>

#include "collectives/built.hpp"

namespace stretto {
namespace {

TEST(ScatterBinomial, LeavesReceiveTheirBlockWhereItBelongs) {
  const Shape shape{.collective = Collective::scatter, .size = 13, .count = 5};
  const Schedule leaf = built("binomial", shape)[7];
  ASSERT_EQ(leaf.steps.size(), 1);
  EXPECT_EQ(leaf.steps[0].to.buffer, Buffer::recv);
}

}  // namespace
}  // namespace stretto
