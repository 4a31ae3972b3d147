#include "patterns/exchange.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <set>
#include <vector>

namespace stretto {
namespace {

using Rounds = std::vector<Exchange> (*)(int size, int me);

// Runs all ranks' rounds together: peers must agree, nothing may be sent before it
// is there or received twice, and all must end with everything.
void expect_full_exchange(Rounds rounds_of, int size) {
  std::vector<std::vector<Exchange>> rounds;
  std::vector<std::set<int>> here;
  for (int me = 0; me < size; ++me) {
    rounds.push_back(rounds_of(size, me));
    here.push_back({me});
  }
  for (std::size_t i = 0; i < rounds[0].size(); ++i) {
    const auto before = here;
    for (std::size_t me = 0; me < rounds.size(); ++me) {
      const Exchange& mine = rounds[me][i];
      const auto peer = static_cast<std::size_t>(mine.peer);
      const Exchange& theirs = rounds[peer][i];
      EXPECT_EQ(theirs.peer, static_cast<int>(me));
      EXPECT_EQ(theirs.leaving, mine.arriving);
      EXPECT_EQ(theirs.blocks, mine.blocks);
      for (int block = mine.arriving; block < mine.arriving + mine.blocks; ++block) {
        EXPECT_TRUE(before[peer].contains(block)) << size << " ranks, rank " << me;
        EXPECT_TRUE(here[me].insert(block).second) << size << " ranks, rank " << me;
      }
    }
  }
  for (const auto& blocks : here) EXPECT_EQ(blocks.size(), static_cast<std::size_t>(size));
}

TEST(DoublingRounds, SpreadEverythingToAll) {
  for (int size = 1; size <= 64; size *= 2) expect_full_exchange(doubling_rounds, size);
}

TEST(NeighborRounds, SpreadEverythingToAll) {
  expect_full_exchange(neighbor_rounds, 1);
  for (int size = 2; size <= 40; size += 2) expect_full_exchange(neighbor_rounds, size);
}

TEST(NeighborRounds, OnlyNeighboursMeetAndHalfAsOftenAsInARing) {
  for (int size = 2; size <= 40; size += 2) {
    for (int me = 0; me < size; ++me) {
      const auto rounds = neighbor_rounds(size, me);
      EXPECT_EQ(rounds.size(), static_cast<std::size_t>(size / 2));
      for (const Exchange& round : rounds) {
        const int apart = (round.peer - me + size) % size;
        EXPECT_TRUE(apart == 1 || apart == size - 1);
      }
    }
  }
}

}  // namespace
}  // namespace stretto
