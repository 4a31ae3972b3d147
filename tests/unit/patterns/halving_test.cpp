#include "patterns/halving.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <set>

namespace stretto {
namespace {

TEST(HalvingRounds, PeersSplitTheSameBlocks) {
  for (int size = 1; size <= 64; size *= 2) {
    for (int me = 0; me < size; ++me) {
      const auto rounds = halving_rounds(size, me);
      for (std::size_t i = 0; i < rounds.size(); ++i) {
        const HalvingRound theirs = halving_rounds(size, rounds[i].peer)[i];
        EXPECT_EQ(theirs.peer, me);
        EXPECT_EQ(theirs.keep, rounds[i].give);
        EXPECT_EQ(theirs.give, rounds[i].keep);
        EXPECT_EQ(theirs.blocks, rounds[i].blocks);
      }
    }
  }
}

TEST(HalvingRounds, EveryRankEndsWithABlockOfItsOwn) {
  for (int size = 1; size <= 64; size *= 2) {
    std::set<int> owned;
    for (int me = 0; me < size; ++me) owned.insert(own_block(halving_rounds(size, me)));
    EXPECT_EQ(owned.size(), static_cast<std::size_t>(size));
  }
}

TEST(HalvingRounds, NearestPeerGetsTheLargestHalf) {
  const auto rounds = halving_rounds(8, 5);
  EXPECT_EQ(rounds[0].peer, 4);
  EXPECT_EQ(rounds[0].blocks, 4);
  EXPECT_EQ(rounds[2].peer, 1);
  EXPECT_EQ(rounds[2].blocks, 1);
}

}  // namespace
}  // namespace stretto
