#include "schedule/shape.hpp"

#include <gtest/gtest.h>

namespace stretto {
namespace {

TEST(Shape, CollectivesAreFoundByTheirNames) {
  for (int i = 0; i < kCollectives; ++i) {
    const auto collective = static_cast<Collective>(i);
    EXPECT_EQ(find_collective(name_of(collective)), collective);
  }
  EXPECT_EQ(find_collective("all"), std::nullopt);
}

}  // namespace
}  // namespace stretto
