// Peers are what was set, however they are kept.
#include "model/peers.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <random>
#include <vector>

namespace stretto::model {
namespace {

using List = std::vector<Rank>;

Peers peers_of(const List& list) {
  Peers peers(list.size(), 3);
  for (std::size_t rank = 0; rank < list.size(); ++rank) {
    if (list[rank] >= 0) peers.set(rank, list[rank]);
  }
  peers.finish();
  return peers;
}

List list_of(std::size_t ranks, const std::function<std::size_t(std::size_t)>& peer_of) {
  List list;
  for (std::size_t rank = 0; rank < ranks; ++rank) list.push_back(static_cast<Rank>(peer_of(rank)));
  return list;
}

List onwards(std::size_t ranks, std::size_t distance) {
  return list_of(ranks, [&](std::size_t rank) { return (rank + distance) % ranks; });
}

List across(std::size_t ranks, std::size_t distance) {
  return list_of(ranks, [&](std::size_t rank) { return rank ^ distance; });
}

List visited(const Peers& peers, Stretch ranks) {
  List list;
  peers.visit(ranks, [&](Stretch some, auto peer_of) {
    for (std::size_t rank = some.first; rank < some.end; ++rank) {
      EXPECT_EQ(rank, ranks.first + list.size()) << "none is left out or comes twice";
      list.push_back(static_cast<Rank>(peer_of(rank)));
    }
  });
  return list;
}

void expect_kept(const List& list) {
  const Peers peers = peers_of(list);
  LargeVector<Rank> room;
  const Rank* listed = peers.listed(room);
  bool complete = true;
  for (std::size_t rank = 0; rank < list.size(); ++rank) {
    ASSERT_EQ(peers[rank], list[rank]) << rank;
    ASSERT_EQ(listed[rank], list[rank]) << rank;
    complete = complete && list[rank] >= 0;
  }
  if (!complete) return;
  const Stretch part{list.size() / 3, list.size() - list.size() / 5};
  EXPECT_EQ(visited(peers, {0, list.size()}), list);
  EXPECT_EQ(visited(peers, part), List(list.begin() + static_cast<std::ptrdiff_t>(part.first),
                                       list.begin() + static_cast<std::ptrdiff_t>(part.end)));
}

TEST(Peers, AreWhatWasSet) {
  for (std::size_t ranks = 1; ranks <= 40; ++ranks) {
    for (std::size_t distance = 0; distance < ranks; ++distance) {
      expect_kept(onwards(ranks, distance));
    }
  }
  for (const std::size_t ranks : {2U, 4U, 8U, 64U, 128U}) {
    for (std::size_t distance = 1; distance < ranks; ++distance) {
      expect_kept(across(ranks, distance));
    }
  }
}

TEST(Peers, AreWhatWasSetWhereSomeRanksDiffer) {
  std::mt19937 random(20261122);
  for (int i = 0; i < 3000; ++i) {
    const std::size_t ranks = 1 + random() % 40;
    const std::size_t distance = random() % ranks;
    const bool power = (ranks & (ranks - 1)) == 0;
    List list = power && random() % 2 == 0 ? across(ranks, distance) : onwards(ranks, distance);
    for (auto changes = random() % 4; changes > 0; --changes) {
      list[random() % ranks] = static_cast<Rank>(random() % (ranks + 1)) - 1;
    }
    expect_kept(list);
  }
}

// Up to rank 3 as if they went on round the end, then as if they went across.
TEST(Peers, ThatGoRoundTheEndDoNotGoAcross) { expect_kept({4, 0, 1, 2, 0}); }

TEST(Peers, OfNobodyAreEmpty) {
  EXPECT_TRUE(peers_of(List(8, -1)).empty());
  EXPECT_FALSE(peers_of(onwards(8, 3)).empty());
  List last_only(8, -1);
  last_only[7] = 0;
  EXPECT_FALSE(peers_of(last_only).empty());
}

TEST(Peers, UndoTheOppositeDistance) {
  EXPECT_TRUE(peers_of(onwards(8, 5)).undo(peers_of(onwards(8, 3))));
  EXPECT_FALSE(peers_of(onwards(8, 3)).undo(peers_of(onwards(8, 3))));
  EXPECT_TRUE(peers_of(across(8, 6)).undo(peers_of(across(8, 6))));
  EXPECT_FALSE(peers_of(across(8, 6)).undo(peers_of(across(8, 4))));
  EXPECT_FALSE(peers_of(across(8, 1)).undo(peers_of(onwards(8, 1))));
  List some = onwards(8, 5);
  some[7] = -1;
  EXPECT_FALSE(peers_of(some).undo(peers_of(onwards(8, 3))));
  EXPECT_FALSE(peers_of(List(8, -1)).undo(peers_of(onwards(8, 3))));
}

}  // namespace
}  // namespace stretto::model
