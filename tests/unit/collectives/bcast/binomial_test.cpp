#include <gtest/gtest.h>

#include "collectives/built.hpp"

namespace stretto {
namespace {

TEST(BcastBinomial, SendsEveryRankOneMessageInFewestRounds) {
  for (const int size : {1, 2, 3, 8, 13}) {
    const Cost counted =
        cost(built("binomial", {.collective = Collective::bcast, .size = size, .count = 5}));
    EXPECT_EQ(counted.messages, size - 1);
    EXPECT_EQ(counted.alpha, levels(size));
  }
}

}  // namespace
}  // namespace stretto
