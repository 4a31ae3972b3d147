#include "base/number.hpp"

#include <gtest/gtest.h>

#include <cstdint>

namespace stretto {
namespace {

TEST(NumberIn, IsAllOfTheText) {
  EXPECT_EQ(number_in<int>("-42"), -42);
  EXPECT_EQ(number_in<double>("2.5"), 2.5);
  for (const char* text : {"", "x", "1 ", " 1", "1x", "1.5", "99999999999"}) {
    EXPECT_EQ(number_in<std::int32_t>(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace stretto
