#include "base/short_list.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <numeric>
#include <vector>

namespace stretto {
namespace {

// Does what it holds lie in the list itself?
template <class T>
bool is_within(const ShortList<T>& list) {
  const auto* const begin = reinterpret_cast<const std::byte*>(&list);
  const auto* const at = reinterpret_cast<const std::byte*>(list.data());
  return at >= begin && at < begin + sizeof list;
}

TEST(ShortList, TakesNoMemoryWhileShort) {
  ShortList<std::int64_t> list;
  for (std::int64_t i = 0; i < 8; ++i) list.push_back(i);
  EXPECT_TRUE(is_within(list));
}

TEST(ShortList, KeepsWhatItHadWhenItGrows) {
  ShortList<std::int64_t> list;
  for (std::int64_t i = 0; i < 1000; ++i) list.push_back(i);
  EXPECT_FALSE(is_within(list));
  std::vector<std::int64_t> expected(1000);
  std::iota(expected.begin(), expected.end(), 0);
  EXPECT_TRUE(std::equal(list.begin(), list.end(), expected.begin(), expected.end()));
}

TEST(ShortList, FreesWhatItHolds) {
  const auto shared = std::make_shared<int>(7);
  {
    const std::vector<std::shared_ptr<int>> others(100, shared);
    const ShortList<std::shared_ptr<int>> list(others.begin(), others.end());
    EXPECT_EQ(shared.use_count(), 201);
  }
  EXPECT_EQ(shared.use_count(), 1);
}

}  // namespace
}  // namespace stretto
