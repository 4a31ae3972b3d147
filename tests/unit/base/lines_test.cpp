#include "base/lines.hpp"

#include <gtest/gtest.h>

#include <cstdint>

namespace stretto {
namespace {

TEST(TakeLine, TakesOneAfterTheOther) {
  std::string_view text = "one\n\nthree";
  EXPECT_EQ(take_line(text), "one");
  EXPECT_EQ(take_line(text), "");
  EXPECT_EQ(take_line(text), "three");
  EXPECT_TRUE(text.empty());
}

TEST(TakeLine, NothingFollowsTheLastEnd) {
  std::string_view text = "one\n";
  EXPECT_EQ(take_line(text), "one");
  EXPECT_TRUE(text.empty());
}

TEST(WordReader, TakesWordsWhateverIsBetween) {
  WordReader words("  level\t 3 \r");
  EXPECT_EQ(words.word(), "level");
  EXPECT_FALSE(words.is_at_end());
  EXPECT_EQ(words.word(), "3");
  EXPECT_TRUE(words.is_at_end());
  EXPECT_EQ(words.word(), "");
}

TEST(WordReader, TheRestHasItsSpaces) {
  WordReader words("machine two  words ");
  words.word();
  EXPECT_EQ(words.rest(), "two  words ");
  EXPECT_TRUE(words.is_at_end());
}

TEST(WordReader, ReadsNumbersAndText) {
  WordReader words("bcast -7 2.5e-3 more");
  std::string name;
  std::int64_t whole = 0;
  double real = 0;
  ASSERT_TRUE(words.read(name, whole, real));
  EXPECT_EQ(name, "bcast");
  EXPECT_EQ(whole, -7);
  EXPECT_EQ(real, 2.5e-3);
  EXPECT_FALSE(words.is_at_end());
}

TEST(WordReader, SaysWhereANumberIsNone) {
  for (const char* const line : {"", "x", "1x", "2.5", "9999999999999", "+1", "0x10"}) {
    WordReader words(line);
    int number = 0;
    EXPECT_FALSE(words.read(number)) << line;
  }
}

TEST(WordReader, TakesFiniteNumbersAlone) {
  for (const char* const line : {"nan", "inf", "-inf", "1e999"}) {
    WordReader words(line);
    double number = 0;
    EXPECT_FALSE(words.read(number)) << line;
  }
}

}  // namespace
}  // namespace stretto
