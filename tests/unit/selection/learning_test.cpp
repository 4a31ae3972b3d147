#include "selection/learning.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

namespace stretto {
namespace {

// Ranks that make the same calls, and agree where their contests say so.
class Ranks {
 public:
  // What a call takes on a rank.
  using Time = std::function<double(std::size_t rank, std::size_t contender, std::int64_t call)>;

  Ranks(int ranks, const Contest& contest, Time time)
      : contests_(static_cast<std::size_t>(ranks), contest), time_(std::move(time)) {}

  void call(std::int64_t times = 1) {
    for (std::int64_t i = 0; i < times; ++i) call_once();
  }
  // The calls that each contender has run, and what all took on the first rank.
  std::array<std::int64_t, Contest::kMostContenders> runs{};
  double spent = 0;
  std::int64_t agreements = 0;
  bool opens = true;
  [[nodiscard]] const Contest& first() const { return contests_.front(); }

 private:
  void call_once() {
    std::vector<Contest::Turn> turns;
    for (Contest& each : contests_) turns.push_back(each.begin());
    const Contest::Turn turn = turns.front();
    ++runs[turn.contender];
    bool agrees = false;
    double most = 0;
    double sum = 0;
    for (std::size_t rank = 0; rank < contests_.size(); ++rank) {
      ASSERT_EQ(turns[rank].contender, turn.contender);
      ASSERT_EQ(turns[rank].is_timed, turn.is_timed);
      const double ns = time_(rank, turn.contender, first().calls());
      if (rank == 0) spent += ns;
      if (!turn.is_timed) continue;
      const bool wants = contests_[rank].end(ns);
      ASSERT_TRUE(rank == 0 || wants == agrees);
      agrees = wants;
      most = std::max(most, contests_[rank].said());
      sum += contests_[rank].said();
    }
    if (!agrees) return;
    ++agreements;
    for (Contest& each : contests_) {
      if (each.is_opening()) {
        each.open(opens);
      } else {
        each.agree(Contest::time_of(most, sum, static_cast<int>(contests_.size())));
      }
    }
  }

  std::vector<Contest> contests_;
  Time time_;
};

Contest contest(std::size_t contenders) { return Contest(std::vector<Choice>(contenders)); }

Ranks::Time steady(std::vector<double> times) {
  return [times](std::size_t, std::size_t contender, std::int64_t) { return times[contender]; };
}

constexpr std::int64_t kSettled = 2500;  // by then they have decided

TEST(Learning, FirstOfAllCallsRunAsTheyWould) {
  Ranks ranks(3, contest(3), steady({10, 5, 8}));
  ranks.call(Contest::kWarmUp);
  EXPECT_EQ(ranks.runs[0], Contest::kWarmUp);
  EXPECT_EQ(ranks.agreements, 1);
}

TEST(Learning, TheFastestWins) {
  Ranks ranks(3, contest(3), steady({10, 5, 8}));
  ranks.call(kSettled);
  EXPECT_EQ(ranks.first().standing(), 1);
  EXPECT_EQ(ranks.first().time(0), 10);
  EXPECT_EQ(ranks.first().time(1), 5);
  const auto before = ranks.runs;
  ranks.call(50);
  EXPECT_EQ(ranks.runs[1], before[1] + 50);
}

TEST(Learning, WhatRunsTheCallsAnywayStaysWhereLittleIsGained) {
  Ranks ranks(2, contest(2), steady({10, 9.7}));
  ranks.call(kSettled);
  EXPECT_EQ(ranks.first().standing(), 0);
}

TEST(Learning, TheSlowestRankCounts) {
  Ranks ranks(2, contest(2), [](std::size_t rank, std::size_t contender, std::int64_t) {
    if (contender == 0) return 10.0;
    return rank == 0 ? 1.0 : 11.0;
  });
  ranks.call(kSettled);
  EXPECT_EQ(ranks.first().standing(), 0);
}

TEST(Learning, ARankThatIsLateNowAndThenIsNoMatter) {
  Ranks ranks(3, contest(2), [](std::size_t rank, std::size_t contender, std::int64_t call) {
    const bool waits = call % 7 == 3 && rank != 1;
    return (contender == 0 ? 10.0 : 5.0) + (waits ? 1000 : 0);
  });
  ranks.call(kSettled);
  EXPECT_EQ(ranks.first().standing(), 1);
  EXPECT_EQ(ranks.first().time(1), 5);
}

// Of a tree, say, in which the last three ranks get from the late one what they wait for.
TEST(Learning, WhereARankIsLateAtEachCallWhoPassesNothingOnWinsAsLongAsItIs) {
  double lateness = 20'000;
  const auto time = [&lateness](std::size_t rank, std::size_t contender, std::int64_t) {
    if (contender == 1) return 14.0;
    return rank > 4 ? 10 + lateness : 10;
  };
  Ranks ranks(8, contest(2), time);
  ranks.call(kSettled);
  EXPECT_EQ(ranks.first().standing(), 1);
  lateness = 0;
  ranks.call(4 * Contest::kLastCheck);
  EXPECT_EQ(ranks.first().standing(), 0);
}

TEST(Learning, WhereTheRootHasToWaitForTheLateRankFewerOthersDecide) {
  const auto time = [](std::size_t rank, std::size_t contender, std::int64_t) {
    const bool waits = rank == 0 || (contender == 0 && rank > 4);
    return (contender == 0 ? 10.0 : 14.0) + (waits ? 20'000 : 0);
  };
  Ranks ranks(8, contest(2), time);
  ranks.call(kSettled);
  EXPECT_EQ(ranks.first().standing(), 1);
}

TEST(Learning, WhoIsFasterByChanceDoesNotWin) {
  // In the first round of the three it is slower.
  int runs = 0;
  Ranks ranks(1, contest(2), [&runs](std::size_t, std::size_t contender, std::int64_t) {
    if (contender == 0) return 10.0;
    const int before = runs++ - Contest::kScreened;
    return before >= 0 && before < Contest::kBurst ? 12.0 : 5.0;
  });
  ranks.call(Contest::kFirstCheck);  // which would try again
  EXPECT_EQ(ranks.first().standing(), 0);
}

TEST(Learning, ACallAfterAnotherContendersIsNotCounted) {
  std::size_t before = 0;
  Ranks ranks(1, contest(3), [&before](std::size_t, std::size_t contender, std::int64_t) {
    const bool is_first = std::exchange(before, contender) != contender;
    return (contender == 1 ? 5.0 : 10.0) + (is_first ? 100 : 0);
  });
  ranks.call(kSettled);
  EXPECT_EQ(ranks.first().standing(), 1);
  EXPECT_EQ(ranks.first().time(1), 5);
}

TEST(Learning, WhoIsFarSlowerIsTriedOnce) {
  double now = 10;
  Ranks ranks(1, contest(3), [&now](std::size_t, std::size_t contender, std::int64_t) {
    return contender == 0 ? now : std::array{0.0, 8.0, 200.0}[contender];
  });
  ranks.call(kSettled);
  EXPECT_EQ(ranks.runs[2], Contest::kScreened);
  now = 5;  // so all is asked again
  ranks.call(100 * kSettled);
  EXPECT_EQ(ranks.first().standing(), 0);
  EXPECT_EQ(ranks.runs[2], Contest::kScreened);
}

TEST(Learning, WhoWasSlowForAWhileHasAnotherChance) {
  Ranks ranks(2, contest(2), [](std::size_t, std::size_t contender, std::int64_t call) {
    if (contender == 0) return 10.0;
    return call < 500 ? 40.0 : 5.0;
  });
  ranks.call(500);
  EXPECT_EQ(ranks.first().standing(), 0);
  ranks.call(5000);
  EXPECT_EQ(ranks.first().standing(), 1);
}

TEST(Learning, WhatWouldRunTheCallsIsLeftAsSoonAsItIsFarSlower) {
  Ranks ranks(2, contest(3), steady({100, 5, 6}));
  constexpr std::int64_t kScreening = Contest::kWarmUp + 3 * (Contest::kScreened + Contest::kApart);
  ranks.call(kScreening);
  EXPECT_NE(ranks.first().standing(), 0);
  const std::int64_t before = ranks.runs[0];
  ranks.call(20'000);
  EXPECT_EQ(ranks.runs[0], before);
  EXPECT_EQ(ranks.first().standing(), 1);
}

TEST(Learning, CostsLittleOfManyCalls) {
  Ranks ranks(1, contest(6), steady({10, 9, 12, 18, 30, 9.5}));
  constexpr std::int64_t kCalls = 20'000;
  ranks.call(kCalls);
  EXPECT_EQ(ranks.first().standing(), 1);
  EXPECT_LT(ranks.spent, 1.02 * 9 * kCalls);
  EXPECT_LT(ranks.agreements, 40);
}

TEST(Learning, CostsLittleOfFewCallsToo) {
  Ranks ranks(1, contest(5), steady({10, 15, 18, 30, 12}));
  constexpr double kBurstLost = 6;  // the longest: three calls of three times as long
  for (std::int64_t calls = 1; calls < 2000; ++calls) {
    ranks.call();
    ASSERT_LT(ranks.spent, 10 * (1.04 * static_cast<double>(calls) + kBurstLost)) << calls;
  }
}

TEST(Learning, AllIsAskedAgainWhenTheWinnerHasBecomeSlow) {
  double drift = 0;
  Ranks ranks(2, contest(3), [&drift](std::size_t, std::size_t contender, std::int64_t) {
    return std::array{10.0, 5.0 + drift, 8.0}[contender];
  });
  ranks.call(3000);
  EXPECT_EQ(ranks.first().standing(), 1);
  drift = 50;
  ranks.call(5000);
  EXPECT_EQ(ranks.first().standing(), 2);
}

TEST(Learning, AndWhenAllHasBecomeSlowSinceOthersMayBeFasterThen) {
  double times = 1;
  Ranks ranks(2, contest(2), [&times](std::size_t, std::size_t contender, std::int64_t) {
    return contender == 0 ? 10 * times : 25.0;
  });
  ranks.call(3000);
  EXPECT_EQ(ranks.first().standing(), 0);
  const std::int64_t tried = ranks.runs[1];
  times = 4;
  ranks.call(5000);
  EXPECT_GT(ranks.runs[1], tried);
  EXPECT_EQ(ranks.first().standing(), 1);
}

TEST(Learning, AWinnerThatIsKnownRunsAllButTheFirstCall) {
  Contest known = contest(3);
  known.know(2, std::array{10'000.0, 0.0, 5'000.0});
  Ranks ranks(2, known, steady({10'000, 8'000, 5'000}));
  ranks.call(500);
  EXPECT_EQ(ranks.runs[0], 1);
  EXPECT_EQ(ranks.runs[2], 499);
}

TEST(Learning, AWinnerThatIsKnownButNoLongerTheFastestIsReplaced) {
  Contest known = contest(3);
  known.know(2, std::array{10'000.0, 0.0, 5'000.0});
  Ranks ranks(2, known, steady({10'000, 8'000, 20'000}));
  ranks.call(3000);
  EXPECT_EQ(ranks.first().standing(), 1);
}

TEST(Learning, WhereTheRanksDoNotAgreeToBeginNothingChanges) {
  Ranks ranks(2, contest(3), steady({10, 5, 8}));
  ranks.opens = false;
  ranks.call(5000);
  EXPECT_EQ(ranks.runs[0], 5000);
  EXPECT_EQ(ranks.agreements, 1);
}

TEST(Learning, CallsThatAreTheMpisAnywayPass) {
  Contest passing(std::vector<Choice>(2), true);
  for (std::int64_t call = 1; call < Contest::kWarmUp; ++call) EXPECT_TRUE(passing.pass());
  EXPECT_FALSE(passing.pass());  // the opening
  EXPECT_EQ(passing.calls(), Contest::kWarmUp - 1);
  EXPECT_TRUE(passing.begin().is_timed);
  EXPECT_FALSE(contest(2).pass());
}

TEST(Learning, CallsThatSelectionsChoiceRunsAnywayPass) {
  Contest passing(std::vector<Choice>(2), false);
  for (std::int64_t call = 1; call < Contest::kWarmUp; ++call) EXPECT_TRUE(passing.pass_to_first());
  EXPECT_FALSE(passing.pass_to_first());  // the opening
  EXPECT_EQ(passing.calls(), Contest::kWarmUp - 1);
  EXPECT_TRUE(passing.begin().is_timed);
  Contest known(std::vector<Choice>(2), false);
  known.know(1, std::array{2.0, 1.0});
  EXPECT_FALSE(known.pass_to_first());  // another has won
}

TEST(Learning, OneContenderNeedsNoAgreement) {
  Ranks ranks(2, contest(1), steady({10}));
  ranks.call(5000);
  EXPECT_EQ(ranks.agreements, 0);
}

}  // namespace
}  // namespace stretto
