#include "patterns/blocks.hpp"

#include <gtest/gtest.h>

namespace stretto {
namespace {

TEST(Blocks, CoverTheVectorAndDifferByOneAtMost) {
  for (Count count = 0; count <= 30; ++count) {
    for (int parts = 1; parts <= 12; ++parts) {
      const Blocks blocks{count, parts};
      Count end = 0;
      for (int i = 0; i < parts; ++i) {
        EXPECT_EQ(blocks[i].offset, end);
        EXPECT_GE(blocks[i].count, count / parts);
        EXPECT_LE(blocks[i].count, (count + parts - 1) / parts);
        EXPECT_EQ(blocks[i].count > 0, i < blocks.first_empty());
        end = blocks[i].end();
      }
      EXPECT_EQ(end, count);
    }
  }
}

TEST(Blocks, ARunIsItsBlocksInARow) {
  const Blocks blocks{17, 5};
  EXPECT_EQ(blocks.run(1, 3), (Span{blocks[1].offset, blocks[3].end() - blocks[1].offset}));
  EXPECT_EQ(blocks.run(5, 0), (Span{17, 0}));
}

TEST(Segments, CoverTheVectorAndOnlyTheLastIsShorter) {
  for (Count count = 0; count <= 20; ++count) {
    for (Count segment = 1; segment <= 22; ++segment) {
      const Segments segments{count, segment};
      Count end = 0;
      for (Count i = 0; i < segments.size(); ++i) {
        EXPECT_EQ(segments[i].offset, end);
        if (i + 1 < segments.size()) {
          EXPECT_EQ(segments[i].count, segment);
        }
        EXPECT_GT(segments[i].count, 0);
        end = segments[i].end();
      }
      EXPECT_EQ(end, count);
    }
  }
}

TEST(Segments, NoSegmentIsOneSegment) {
  EXPECT_EQ(Segments(10, 0).size(), 1);
  EXPECT_EQ(Segments(10, 0)[0], (Span{0, 10}));
}

}  // namespace
}  // namespace stretto
