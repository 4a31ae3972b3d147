#include "engine/tags.hpp"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <set>

namespace stretto {
namespace {

TEST(TagLayout, EveryTagIsOneMessagesOnlyAndNoneIsTooHigh) {
  for (const int bits : {13, 15, 20, 23, 28}) {
    const std::int64_t highest = (std::int64_t{1} << bits) - 1;
    const TagLayout tags = TagLayout::up_to(highest);
    const int last = tags.ids() - 1;
    EXPECT_GE(tags.ids(), 2048) << bits;
    EXPECT_LE(tags.slot_tag(last, tags.width() - 1), highest) << bits;
    EXPECT_EQ(tags.first_tag(1), tags.slot_tag(0, tags.width() - 1) + 1) << bits;
    EXPECT_EQ(tags.slot_tag(5, 0), tags.first_tag(5) + tags.width()) << bits;
  }
}

TEST(TagLayout, AnOddHighestTagIsNotExceeded) {
  const TagLayout tags = TagLayout::up_to(INT32_MAX - 5);
  EXPECT_LE(tags.slot_tag(tags.ids() - 1, tags.width() - 1), INT32_MAX - 5);
}

TEST(TagRange, TakesItsTagsInTurn) {
  const TagRange range(96, 4);
  EXPECT_EQ(range.tag(0), 96);
  EXPECT_EQ(range.tag(3), 99);
  EXPECT_EQ(range.tag(4), 96);
}

int first_of(const ContextIds& ids) {
  std::array<ContextIds::Word, 2> words{};
  ids.read(0, words);
  return words[0] != 0 ? std::countr_zero(words[0]) : 64 + std::countr_zero(words[1]);
}

TEST(ContextIds, ATakenIdIsFreeAgainWhenItIsGivenBack) {
  ContextIds ids(100);
  for (int expected = 0; expected < 70; ++expected) {
    ASSERT_TRUE(ids.begin(0));
    ASSERT_EQ(first_of(ids), expected);
    ids.end(expected);
  }
  ids.give_back(65);
  ids.give_back(3);
  EXPECT_EQ(first_of(ids), 3);
}

TEST(ContextIds, HasNoneBehindTheLast) {
  ContextIds ids(70);
  std::array<ContextIds::Word, 3> words{};
  ids.read(1, words);
  EXPECT_EQ(words[0], 0x3fU);
  EXPECT_EQ(words[1], 0U);
}

TEST(ContextIds, OneOffersAtATime) {
  ContextIds ids(64);
  ASSERT_TRUE(ids.begin(0));
  EXPECT_FALSE(ids.begin(0));
  ids.end(std::nullopt);
  EXPECT_TRUE(ids.begin(0));
}

TEST(ContextIds, TheMostUrgentOfThoseThatWaitOffersNext) {
  ContextIds ids(64);
  ids.wait(7);
  ids.wait(9);
  EXPECT_FALSE(ids.begin(0));
  EXPECT_FALSE(ids.begin(7));
  EXPECT_TRUE(ids.begin(9));
  ids.end(0);
  ids.stop_waiting(9);
  EXPECT_TRUE(ids.begin(7));
}

TEST(PersistentSlots, AreTakenAgainOnlyWhereAllRanksGaveThemBack) {
  PersistentSlots here(3);
  PersistentSlots there(3);
  for (int slot = 0; slot < 3; ++slot) {
    EXPECT_EQ(here.take(), slot);
    EXPECT_EQ(there.take(), slot);
  }
  EXPECT_FALSE(here.take());
  here.give_back(0);
  here.give_back(2);
  there.give_back(2);
  there.give_back(1);
  std::vector<std::uint64_t> common = here.returned();
  common[0] &= there.returned()[0];
  here.renew(common);
  there.renew(common);
  EXPECT_EQ(here.take(), 2);
  EXPECT_EQ(there.take(), 2);
  EXPECT_FALSE(here.take());
  EXPECT_FALSE(there.take());
  there.give_back(0);
  common = here.returned();
  common[0] &= there.returned()[0];
  here.renew(common);
  EXPECT_EQ(here.take(), 0);
}

}  // namespace
}  // namespace stretto
