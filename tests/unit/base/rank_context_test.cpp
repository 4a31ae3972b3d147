#include "base/rank_context.hpp"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace stretto {
namespace {

struct Number {
  int value = 0;
};

TEST(RankContext, APartIsMadeOnceAndIsItsRanksAlone) {
  RankContext one;
  RankContext other;
  one.get<Number>().value = 1;
  other.get<Number>().value = 2;
  EXPECT_EQ(one.get<Number>().value, 1);
  EXPECT_EQ(other.get<Number>().value, 2);
  EXPECT_EQ(&one.get<Number>(), &one.get<Number>());
}

TEST(RankContext, AThreadRunsTheRankItWasGivenAndBeforeAndAfterwardsTheProcesss) {
  RankContext rank;
  rank.get<Number>().value = 7;
  of_rank<Number>().value = 3;
  {
    const Running running(rank);
    EXPECT_EQ(of_rank<Number>().value, 7);
    EXPECT_EQ(&RankContext::current(), &rank);
  }
  EXPECT_EQ(of_rank<Number>().value, 3);
}

TEST(RankContext, WhatAThreadIsInTheMiddleOfStaysWithItsRank) {
  RankContext rank;
  this_thread.wrappers = 2;
  {
    const Running running(rank);
    EXPECT_EQ(this_thread.wrappers, 0);
    this_thread.waits = 1;
    RankContext inner;
    const Running deeper(inner);
    EXPECT_EQ(this_thread.waits, 0);
  }
  EXPECT_EQ(this_thread.wrappers, 2);
  EXPECT_EQ(this_thread.waits, 0);
  this_thread.wrappers = 0;
}

struct Counted {
  static inline int alive = 0;
  static inline std::vector<int> gone;
  static inline int next = 0;
  int number = next++;
  Counted() { ++alive; }
  ~Counted() {
    --alive;
    gone.push_back(number);
  }
};
struct Later : Counted {};

TEST(RankContext, PartsGoWithTheirRankTheLatestKindFirst) {
  Counted::gone.clear();
  Counted::next = 0;
  {
    RankContext rank;
    static_cast<void>(rank.get<Counted>());
    static_cast<void>(rank.get<Later>());
    EXPECT_EQ(Counted::alive, 2);
  }
  EXPECT_EQ(Counted::alive, 0);
  EXPECT_EQ(Counted::gone, (std::vector<int>{1, 0}));
}

// Another one of each loser's is destroyed at once, and nobody keeps it.
TEST(RankContext, ThreadsThatAskAtOnceGetOne) {
  struct Slow : Number {
    Slow() { std::this_thread::sleep_for(std::chrono::milliseconds(5)); }
  };
  for (int round = 0; round < 5; ++round) {
    RankContext rank;
    std::vector<Slow*> got(4);
    std::vector<std::thread> threads;
    for (Slow*& each : got) {
      threads.emplace_back([&rank, &each] { each = &rank.get<Slow>(); });
    }
    for (std::thread& thread : threads) thread.join();
    for (const Slow* each : got) EXPECT_EQ(each, got.front());
  }
}

struct Outer {
  int inner = of_rank<Number>().value;
};

TEST(RankContext, AMakingPartMayAskForAnother) {
  RankContext rank;
  const Running running(rank);
  of_rank<Number>().value = 5;
  EXPECT_EQ(of_rank<Outer>().inner, 5);
}

}  // namespace
}  // namespace stretto
