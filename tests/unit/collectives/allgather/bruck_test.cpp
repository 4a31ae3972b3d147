#include <gtest/gtest.h>

#include "collectives/built.hpp"

namespace stretto {
namespace {

TEST(AllgatherBruck, FewestMessagesAndNoElementTwiceForAnyNumberOfRanks) {
  for (const int size : {1, 2, 3, 8, 13}) {
    const Cost counted = cost(built("bruck", shape_of(Collective::allgather, size)));
    EXPECT_EQ(counted.max_messages, levels(size));
    EXPECT_EQ(counted.max_received, (size - 1) * 5);
  }
}

TEST(AllgatherBruck, NeedsScratchForTheWholeResult) {
  EXPECT_EQ(cost(built("bruck", shape_of(Collective::allgather, 13))).max_scratch, 13 * 5);
}

}  // namespace
}  // namespace stretto
