// Folded sequences unfold to what they were, and repetition makes them short.
#include "trace/folded.hpp"

#include <gtest/gtest.h>

#include <random>

namespace stretto::trace {
namespace {

using Items = std::vector<int>;

Folded folded(const Items& items) {
  Folding folding;
  for (const int item : items) folding.append(item);
  return folding.take();
}

Items unfolded(const Folded& folded) {
  Items items;
  Cursor cursor(folded);
  while (const auto item = cursor.next()) items.push_back(*item);
  return items;
}

Items times(int number, const Items& body) {
  Items items;
  for (int i = 0; i < number; ++i) items.insert(items.end(), body.begin(), body.end());
  return items;
}

std::size_t entries(const Folded& folded) {
  std::size_t count = folded.whole.size();
  for (const Entries& body : folded.bodies) count += body.size();
  return count;
}

TEST(Folding, OfNothingIsNothing) {
  EXPECT_EQ(unfolded(folded({})), Items{});
  EXPECT_EQ(items_in(folded({}), 10), 0);
}

TEST(Folding, OneThingAgainAndAgainIsOneEntry) {
  const Items items = times(1000, {7});
  EXPECT_EQ(entries(folded(items)), 1U);
  EXPECT_EQ(unfolded(folded(items)), items);
}

TEST(Folding, ALoopIsItsBody) {
  const Items items = times(1000, {1, 2, 3, 2});
  EXPECT_EQ(entries(folded(items)), 5U);
  EXPECT_EQ(unfolded(folded(items)), items);
}

TEST(Folding, LoopsInLoopsAreShortWhateverTheirNumbers) {
  Items inner = times(9, {1, 2});
  inner.push_back(3);
  Items middle = times(7, inner);
  middle.push_back(4);
  const Items items = times(500, middle);
  const Folded short_form = folded(items);
  EXPECT_LE(entries(short_form), 12U);
  EXPECT_EQ(unfolded(short_form), items);
}

TEST(Folding, WhatComesBeforeAndAfterStays) {
  Items items{9, 8};
  const Items middle = times(50, {1, 2, 3});
  items.insert(items.end(), middle.begin(), middle.end());
  items.push_back(8);
  EXPECT_EQ(unfolded(folded(items)), items);
  EXPECT_LE(entries(folded(items)), 8U);
}

TEST(Folding, OfAnySequenceUnfoldsToIt) {
  std::mt19937 random(1);
  for (int round = 0; round < 2000; ++round) {
    // Few items: repetitions of all kinds come by chance.
    const int kinds = 1 + static_cast<int>(random() % 4);
    Items items(random() % 200);
    for (int& item : items) item = static_cast<int>(random() % static_cast<unsigned>(kinds));
    const Folded short_form = folded(items);
    ASSERT_EQ(unfolded(short_form), items) << "round " << round;
    ASSERT_EQ(items_in(short_form, 1000), static_cast<std::int64_t>(items.size()));
  }
}

TEST(ItemsIn, IsNothingWhereThereAreTooMany) {
  Folded folded;
  folded.bodies.push_back({{.what = 0, .times = std::int64_t{1} << 40}});
  folded.whole = {{.what = ~0, .times = std::int64_t{1} << 40}};
  EXPECT_EQ(items_in(folded, INT64_MAX), std::nullopt);
  folded.whole = {{.what = ~0, .times = 3}};
  EXPECT_EQ(items_in(folded, INT64_MAX), std::int64_t{3} << 40);
  EXPECT_EQ(items_in(folded, 1000), std::nullopt);
}

}  // namespace
}  // namespace stretto::trace
