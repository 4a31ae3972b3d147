#include "base/words.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

namespace stretto {
namespace {

TEST(Words, PutsPartsTogether) {
  const std::string name = "ring";
  EXPECT_EQ(words(name, ' ', 3, std::string_view(" of "), std::int64_t{-9}, "."), "ring 3 of -9.");
  EXPECT_EQ(words(), "");
}

TEST(Words, HasRoomForAnyNumber) {
  EXPECT_EQ(words(std::numeric_limits<std::int64_t>::min()), "-9223372036854775808");
  EXPECT_EQ(words(std::numeric_limits<std::uint64_t>::max()), "18446744073709551615");
}

TEST(InHex, HasNoPrefix) {
  EXPECT_EQ(in_hex(std::uint64_t{0}), "0");
  EXPECT_EQ(in_hex(std::numeric_limits<std::uint64_t>::max()), "ffffffffffffffff");
}

}  // namespace
}  // namespace stretto
