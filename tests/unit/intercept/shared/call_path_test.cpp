#include "intercept/shared/call_path.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace stretto::intercept {
namespace {

struct Found {
  void* caller = nullptr;
  CallPath path;
};

[[gnu::noinline, gnu::noclone]] Found find(int depth) {
  Found found{.caller = __builtin_return_address(0), .path = {}};
  find_path(found.caller, nullptr, depth, found.path);
  return found;
}

[[gnu::noinline, gnu::noclone]] Found find_through(int depth) {
  Found found = find(depth);
  found.path.shrink_to_fit();
  return found;
}

TEST(CallPath, HasAsManyPlacesAsAreAskedFor) {
  EXPECT_TRUE(find_through(1).path.empty());
  const CallPath two = find_through(2).path;
  ASSERT_EQ(two.size(), 1U);
  const CallPath four = find_through(4).path;
  ASSERT_EQ(four.size(), 3U);
  EXPECT_NE(four[0], two[0]);  // called from another line
}

TEST(CallPath, IsTheSameForTheSamePlaces) {
  std::vector<CallPath> paths;
  for (int i = 0; i < 2; ++i) paths.push_back(find_through(3).path);
  EXPECT_EQ(paths[0], paths[1]);
}

TEST(CallPath, EndsWithTheStack) { EXPECT_LT(find_through(64).path.size(), 64U); }

TEST(CallPath, OfACallThatIsNotOnTheStackThereIsNone) {
  CallPath path(3);
  find_path(reinterpret_cast<void*>(&find_through), nullptr, 4, path);
  EXPECT_TRUE(path.empty());
}

}  // namespace
}  // namespace stretto::intercept
