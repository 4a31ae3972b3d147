#include "patterns/knomial.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "patterns/binomial.hpp"

namespace stretto {
namespace {

TEST(KnomialTree, ChildrenSplitTheSubtreeInConsecutiveRuns) {
  for (int size = 1; size <= 70; ++size) {
    for (const int radix : {2, 3, 4, 7, 100}) {
      for (int me = 0; me < size; ++me) {
        const KnomialTree tree{size, 0, me, radix};
        int end = me + 1;
        for (const auto& child : tree.children_near_first()) {
          EXPECT_GT(child.first, me);
          end += child.subtree_size;
        }
        EXPECT_EQ(end, me + tree.subtree_size()) << size << " ranks, radix " << radix;
        EXPECT_TRUE(tree.covers(end - 1));
        EXPECT_FALSE(tree.covers(end));
      }
    }
  }
}

TEST(KnomialTree, ParentsAndChildrenAgreeWhateverTheRoot) {
  for (const int size : {1, 2, 9, 13, 16}) {
    for (const int radix : {2, 3, 4}) {
      for (int root = 0; root < size; ++root) {
        std::vector<int> parents(static_cast<std::size_t>(size), -1);
        for (int me = 0; me < size; ++me) {
          for (const auto& child : KnomialTree(size, root, me, radix).children_far_first()) {
            EXPECT_EQ(parents[static_cast<std::size_t>(child.rank)], -1);
            parents[static_cast<std::size_t>(child.rank)] = me;
            const KnomialTree below{size, root, child.rank, radix};
            EXPECT_EQ(below.relative(), child.first);
            EXPECT_EQ(below.subtree_size(), child.subtree_size);
          }
        }
        for (int me = 0; me < size; ++me) {
          const KnomialTree tree{size, root, me, radix};
          EXPECT_EQ(parents[static_cast<std::size_t>(me)], tree.is_root() ? -1 : tree.parent());
        }
      }
    }
  }
}

TEST(KnomialTree, SubtreesNeverGrowFarFirst) {
  for (int size = 1; size <= 70; ++size) {
    int before = size;
    for (const auto& child : KnomialTree(size, 0, 0, 4).children_far_first()) {
      if (child.first + child.subtree_size == size) continue;  // cut short by the last rank
      EXPECT_LE(child.subtree_size, before);
      before = child.subtree_size;
    }
  }
}

TEST(BinomialTree, RootOfEightHasChildrenFourTwoOne) {
  std::vector<int> ranks;
  for (const auto& child : BinomialTree(8, 0, 0).children_far_first()) ranks.push_back(child.rank);
  EXPECT_EQ(ranks, (std::vector{4, 2, 1}));
}

}  // namespace
}  // namespace stretto
