#include "base/spare_map.hpp"

#include <gtest/gtest.h>

#include <string>

namespace stretto {
namespace {

TEST(SpareMap, HoldsWhatWasInserted) {
  SpareMap<int, std::string> map;
  map.insert(1) = "one";
  map.insert(2) = "two";
  EXPECT_EQ(map.insert(1), "one");
  EXPECT_EQ(map.at(2), "two");
  EXPECT_TRUE(map.contains(1));
  map.erase(map.find(1));
  EXPECT_FALSE(map.contains(1));
  EXPECT_EQ(map.find(1), map.end());
  EXPECT_EQ(map.at(2), "two");
}

TEST(SpareMap, TheNextHasTheMemoryOfTheLast) {
  SpareMap<int, std::string> map;
  map.insert(1) = std::string(100, 'x');
  const std::string* const first = &map.at(1);
  map.insert(2) = "two";
  map.erase(map.find(1));
  EXPECT_EQ(&map.insert(3), first);
  EXPECT_GE(map.at(3).capacity(), 100);
  // One is kept, the others are freed.
  map.erase(map.find(2));
  map.erase(map.find(3));
  EXPECT_EQ(&map.insert(4), first);
  EXPECT_TRUE(map.insert(5).empty());
}

}  // namespace
}  // namespace stretto
