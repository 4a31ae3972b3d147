#include "bench/suite/buffers.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace stretto::bench {
namespace {

TEST(CellBuffers, SameStayAsTheyWereWritten) {
  CellBuffers buffers(BufferUse::same, 100, 100);
  EXPECT_EQ(buffers.of(0).send, buffers.of(7).send);
  EXPECT_TRUE(buffers.is_rewritten(0));
  EXPECT_FALSE(buffers.is_rewritten(1));
  EXPECT_EQ(buffers.written_for(5), 0);
}

TEST(CellBuffers, RewrittenAreTheSameMemory) {
  CellBuffers buffers(BufferUse::rewritten, 100, 100);
  EXPECT_EQ(buffers.of(0).receive, buffers.of(7).receive);
  EXPECT_TRUE(buffers.is_rewritten(7));
  EXPECT_EQ(buffers.written_for(5), 5);
}

TEST(CellBuffers, UniqueComeAgainWhenCachesHaveForgottenThem) {
  constexpr std::int64_t bytes = 1 << 20;
  CellBuffers buffers(BufferUse::unique, bytes, bytes);
  std::set<std::byte*> seen;
  std::int64_t touched = 0;
  for (int i = 0; seen.insert(buffers.of(i).send).second; ++i) touched += 2 * bytes;
  EXPECT_GE(touched, 128 << 20);
}

TEST(CellBuffers, LieApartAndCanBeWrittenToTheirEnds) {
  for (const auto use :
       {BufferUse::same, BufferUse::rewritten, BufferUse::unique, BufferUse::cold}) {
    for (const std::int64_t bytes : {0, 1, 4095, 4096, 4097}) {
      CellBuffers buffers(use, bytes, bytes);
      for (int i = 0; i < 3; ++i) {
        const BufferPair pair = buffers.of(i);
        std::fill_n(pair.send, bytes, std::byte{1});
        buffers.spoil(pair);
        EXPECT_TRUE(bytes == 0 || pair.send[bytes - 1] == std::byte{1});
        buffers.settle(pair);
      }
    }
  }
}

}  // namespace
}  // namespace stretto::bench
