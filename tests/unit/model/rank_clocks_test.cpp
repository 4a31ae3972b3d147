// One rank's clocks, against times worked out by hand.
#include "model/rank_clocks.hpp"

#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "model/small_machines.hpp"

namespace stretto::model {
namespace {

using Times = std::vector<double>;

// Of one rank of four, at the places of their numbers.
RankClocks clocks_of(const std::vector<Scenario>& scenarios, Rank me = 0) {
  static const std::vector<std::vector<Rank>> places(8, {0, 1, 2, 3});
  return {scenarios, places, me};
}

Times shown(const RankClocks& clocks) { return {clocks.now().begin(), clocks.now().end()}; }

Times sent(RankClocks& clocks, Rank to, std::int64_t bytes) {
  Times arrivals(clocks.now().size(), -1);
  clocks.send(to, bytes, arrivals);
  return arrivals;
}

TEST(RankClocks, ComputeAtTheScenariosSpeed) {
  std::vector<Scenario> scenarios(3, on(loggopsim()));
  scenarios[1].computing = 0.5;
  scenarios[2].computing = 0;
  RankClocks clocks = clocks_of(scenarios);
  EXPECT_EQ(shown(clocks), (Times{0, 0, 0}));
  clocks.compute(100);
  clocks.compute(20);
  EXPECT_EQ(shown(clocks), (Times{120, 60, 0}));
}

TEST(RankClocks, AMessageTakesWhatLogGPSays) {
  for (const std::int64_t bytes : {0, 1, 10, 5000}) {
    const std::vector<Scenario> scenarios{on(loggopsim())};
    RankClocks sender = clocks_of(scenarios, 0);
    RankClocks receiver = clocks_of(scenarios, 1);
    const double stream = bytes == 0 ? 0 : static_cast<double>(bytes - 1) * 6;
    const Times arrivals = sent(sender, 1, bytes);
    EXPECT_EQ(shown(sender), Times{1500});
    EXPECT_EQ(arrivals, Times{1500 + 2500 + stream});
    receiver.receive(std::vector<RankClocks::Arrived>{{0, bytes, arrivals.data()}});
    EXPECT_EQ(shown(receiver), Times{1500 + 2500 + stream + 1500});
  }
}

TEST(RankClocks, AReceiverThatIsLateFindsTheMessage) {
  const std::vector<Scenario> scenarios{on(loggopsim())};
  RankClocks receiver = clocks_of(scenarios, 1);
  receiver.compute(90000);
  const double arrival = 4000;
  receiver.receive(std::vector<RankClocks::Arrived>{{0, 1, &arrival}});
  EXPECT_EQ(shown(receiver), Times{91500});
}

// Messages that their receiver answers first, on a network to whose latency 100 were added.
TEST(RankClocks, AnAnswerIsSentWhenTheReceiverWaits) {
  std::vector<Scenario> scenarios{on(uniform(1000, 10, 0, 0))};
  scenarios[0].machine.levels[0].pieces[0].rendezvous = true;
  slow_network(scenarios[0].machine, {.latency = 100});
  RankClocks sender = clocks_of(scenarios, 0);
  const Times first = sent(sender, 1, 1);
  const Times second = sent(sender, 1, 1);
  EXPECT_EQ(first, Times{10 + 1100});
  EXPECT_EQ(second, Times{20 + 1100});
  const std::vector<RankClocks::Arrived> both{{0, 1, first.data()}, {0, 1, second.data()}};
  RankClocks receiver = clocks_of(scenarios, 1);
  receiver.receive(both);
  EXPECT_EQ(shown(receiver), Times{1120 + 200 + 10});
  // The answers to both are under way together.
  RankClocks late = clocks_of(scenarios, 1);
  late.compute(5000);
  late.receive(both);
  EXPECT_EQ(shown(late), Times{5000 + 200 + 10 + 10});
}

// A nanosecond more makes nobody wait for a gap that was over.
TEST(RankClocks, ALittleLatencyCostsALittle) {
  std::vector<Scenario> scenarios{on(uniform(1000, 10, 500, 0))};
  scenarios[0].machine.levels[0].pieces[0].rendezvous = true;
  const double early = 100;
  const double late = 200;
  const auto waited = [&] {
    RankClocks clocks = clocks_of(scenarios, 1);
    clocks.receive(std::vector<RankClocks::Arrived>{{0, 1, &late}});
    clocks.receive(std::vector<RankClocks::Arrived>{{0, 1, &early}});
    return clocks.now()[0];
  };
  EXPECT_EQ(waited(), 200 + 10 + 10);
  slow_network(scenarios[0].machine, {.latency = 1});
  EXPECT_EQ(waited(), 200 + 2 + 10 + 2 + 10);
}

// Nor do long and short messages of one call that comes late pass the port at once for it.
TEST(RankClocks, ALittleLatencyMakesNothingFaster) {
  std::vector<Scenario> scenarios{on(uniform(1000, 200, 50, 0))};
  auto& pieces = scenarios[0].machine.levels[0].pieces;
  pieces.push_back(pieces[0]);
  pieces[1].from_bytes = 65536;
  pieces[1].gap = 105000;
  pieces[1].rendezvous = true;
  const std::array<double, 4> arrivals{1000, 2000, 3000, 4000};
  const auto waited = [&] {
    RankClocks clocks = clocks_of(scenarios, 1);
    clocks.compute(500000);
    clocks.receive(std::vector<RankClocks::Arrived>{{0, 65536, &arrivals[0]},
                                                    {0, 65536, &arrivals[1]},
                                                    {0, 65536, &arrivals[2]},
                                                    {0, 1, &arrivals[3]}});
    return clocks.now()[0];
  };
  const double before = waited();
  EXPECT_EQ(before, 500000 + 3 * 105000 + 200);
  double fastest = before;
  double added = 0;
  for (const double latency : {1, 399, 101, 1000, 3499, 95000}) {
    slow_network(scenarios[0].machine, {.latency = latency});
    added += latency;
    EXPECT_GE(waited(), fastest) << added;
    EXPECT_LE(waited(), before + 2 * added) << added;
    fastest = waited();
  }
}

// Who asks first is not there first.
TEST(RankClocks, WhatNobodyAnswersComesBeforeWhatIsStillToBeAnswered) {
  std::vector<Scenario> scenarios{on(uniform(1000, 10, 0, 0))};
  auto& pieces = scenarios[0].machine.levels[0].pieces;
  pieces.push_back(pieces[0]);
  pieces[1].from_bytes = 64;
  pieces[1].rendezvous = true;
  slow_network(scenarios[0].machine, {.latency = 100});
  const double asked = 100;
  const double sent = 150;
  RankClocks clocks = clocks_of(scenarios, 1);
  clocks.receive(std::vector<RankClocks::Arrived>{{0, 64, &asked}, {0, 1, &sent}});
  EXPECT_EQ(shown(clocks), Times{100 + 200 + 10});
}

TEST(RankClocks, TheNextMessageLeavesAGapLater) {
  const std::vector<Scenario> scenarios{on(uniform(1000, 10, 50, 2))};
  RankClocks clocks = clocks_of(scenarios);
  EXPECT_EQ(sent(clocks, 1, 101), Times{10 + 1000 + 200});
  // The port is busy from 0 for 50 + 200.
  EXPECT_EQ(sent(clocks, 2, 1), Times{250 + 10 + 1000});
  EXPECT_EQ(shown(clocks), Times{260});
  // And from 250 for 50, but the rank is not there before 1260.
  clocks.compute(1000);
  EXPECT_EQ(sent(clocks, 3, 1), Times{1260 + 10 + 1000});
}

TEST(RankClocks, TheNextMessageIsReceivedAGapLater) {
  const std::vector<Scenario> scenarios{on(uniform(1000, 10, 50, 2))};
  RankClocks clocks = clocks_of(scenarios);
  const Times arrivals{500, 505};
  clocks.receive(std::vector<RankClocks::Arrived>{{1, 101, &arrivals[0]}});
  EXPECT_EQ(shown(clocks), Times{510});
  clocks.receive(std::vector<RankClocks::Arrived>{{2, 1, &arrivals[1]}});
  EXPECT_EQ(shown(clocks), Times{750 + 10});
}

// Whatever the order of the program's waits.
TEST(RankClocks, AnEarlierMessageHasPassedThePortAlready) {
  const std::vector<Scenario> scenarios{on(uniform(1000, 10, 50, 2))};
  RankClocks clocks = clocks_of(scenarios);
  const Times arrivals{500, 400, 600};
  clocks.receive(std::vector<RankClocks::Arrived>{{1, 101, &arrivals[0]}});
  clocks.receive(std::vector<RankClocks::Arrived>{{2, 101, &arrivals[1]}});
  EXPECT_EQ(shown(clocks), Times{500 + 10 + 10});
  // It left the port as the first one did.
  clocks.receive(std::vector<RankClocks::Arrived>{{3, 1, &arrivals[2]}});
  EXPECT_EQ(shown(clocks), Times{750 + 10});
}

// Each way has a port of its own.
TEST(RankClocks, SendsDoNotHoldReceivesBack) {
  const std::vector<Scenario> scenarios{on(uniform(1000, 10, 5000, 0))};
  RankClocks clocks = clocks_of(scenarios);
  (void)sent(clocks, 1, 1);
  const double arrival = 0;
  clocks.receive(std::vector<RankClocks::Arrived>{{1, 1, &arrival}});
  EXPECT_EQ(shown(clocks), Times{20});
}

TEST(RankClocks, MessagesAreReceivedAsTheyComeInEachScenario) {
  const std::vector<Scenario> scenarios(2, on(uniform(1000, 10, 50, 1)));
  const Times small{100, 101};
  const Times large{101, 100};
  const RankClocks::Arrived first{1, 1, small.data()};
  const RankClocks::Arrived second{2, 101, large.data()};
  // The small one holds the port for 50, the large one for 150.
  const Times expected{150 + 10, 250 + 10};
  for (const auto& messages : {std::vector{first, second}, std::vector{second, first}}) {
    RankClocks clocks = clocks_of(scenarios);
    clocks.receive(messages);
    EXPECT_EQ(shown(clocks), expected);
  }
}

TEST(RankClocks, OfMessagesThatComeTogetherTheFirstNamedIsFirst) {
  const std::vector<Scenario> scenarios{on(uniform(1000, 10, 50, 1))};
  const double both = 100;
  RankClocks clocks = clocks_of(scenarios);
  clocks.receive(std::vector<RankClocks::Arrived>{{2, 101, &both}, {1, 1, &both}});
  EXPECT_EQ(shown(clocks), Times{250 + 10});
}

TEST(RankClocks, NoMessagesTakeNoTime) {
  const std::vector<Scenario> scenarios{on(loggopsim())};
  RankClocks clocks = clocks_of(scenarios);
  clocks.receive({});
  EXPECT_EQ(shown(clocks), Times{0});
}

TEST(RankClocks, MessagesCostAsManyTimesAsMuch) {
  std::vector<Scenario> scenarios(2, on(uniform(1000, 10, 50, 2)));
  scenarios[0].point_to_point = 0;
  scenarios[1].point_to_point = 3;
  RankClocks sender = clocks_of(scenarios, 0);
  sender.compute(7);
  const Times first = sent(sender, 1, 11);
  const Times second = sent(sender, 1, 11);
  EXPECT_EQ(first, (Times{7, 7 + 3 * (10 + 1000 + 20)}));
  EXPECT_EQ(second, (Times{7, 7 + 3 * (70 + 10 + 1000 + 20)}));
  EXPECT_EQ(shown(sender), (Times{7, 7 + 3 * (70 + 10)}));
  // One that costs nothing is waited for all the same.
  RankClocks receiver = clocks_of(scenarios, 1);
  receiver.receive(std::vector<RankClocks::Arrived>{{0, 11, first.data()}});
  EXPECT_EQ(shown(receiver), (Times{7, first[1] + 30}));
}

TEST(RankClocks, AMessageCostsWhatThePlacesOfItsEndsSay) {
  const Machine cluster = machine_of(
      "level 2 0 0 host\nmessage 0 100 1 2 0 0 0\n"
      "level 0 0 0 network\nmessage 0 5000 30 40 0 0 0\n");
  const std::vector<Scenario> scenarios(2, on(cluster));
  // In the second scenario ranks 0 and 1 are on two hosts, 0 and 2 on one.
  const std::vector<std::vector<Rank>> places{{0, 1, 2, 3}, {0, 2, 1, 3}};
  RankClocks clocks(scenarios, places, 0);
  EXPECT_EQ(sent(clocks, 1, 1), (Times{101, 5030}));
  EXPECT_EQ(sent(clocks, 2, 1), (Times{1 + 5030, 30 + 101}));
  const Times arrivals{10000, 10000};
  clocks.receive(std::vector<RankClocks::Arrived>{{1, 1, arrivals.data()}});
  EXPECT_EQ(shown(clocks), (Times{10002, 10040}));
}

TEST(RankClocks, WaitNeverGoesBack) {
  const std::vector<Scenario> scenarios(2, on(loggopsim()));
  RankClocks clocks = clocks_of(scenarios);
  clocks.compute(100);
  clocks.wait_until(Times{50, 150});
  EXPECT_EQ(shown(clocks), (Times{100, 150}));
}

// Free at 100 and done at 300: the transfer takes 200.
TEST(RankClocks, OverlapIsWhatANonblockingCollectiveCosts) {
  std::vector<Scenario> scenarios(2, on(loggopsim()));
  scenarios[1].overlap = true;
  const auto completed = [&](double computed) {
    RankClocks clocks = clocks_of(scenarios);
    clocks.compute(computed);
    static_cast<void>(clocks.finish(Waiting::nonblocking, Times{100, 100}, Times{300, 300}));
    return shown(clocks);
  };
  EXPECT_EQ(completed(0), (Times{300, 300}));
  EXPECT_EQ(completed(100), (Times{300, 300}));
  EXPECT_EQ(completed(250), (Times{450, 300}));
  EXPECT_EQ(completed(400), (Times{600, 400}));
}

TEST(RankClocks, AFreeNonblockingCollectiveIsOnlyWaitedFor) {
  std::vector<Scenario> scenarios(2, on(loggopsim()));
  scenarios[1].overlap = true;
  RankClocks clocks = clocks_of(scenarios);
  static_cast<void>(clocks.finish(Waiting::nonblocking, Times{100, 100}, Times{100, 100}));
  EXPECT_EQ(shown(clocks), (Times{100, 100}));
  static_cast<void>(clocks.finish(Waiting::nonblocking, Times{50, 50}, Times{50, 50}));
  EXPECT_EQ(shown(clocks), (Times{100, 100}));
}

// Free at 100 and done at 300.
TEST(RankClocks, WaitsSayWhatTheyWereFor) {
  const std::vector<Scenario> scenarios{on(loggopsim())};
  for (const Waiting waiting : {Waiting::blocking, Waiting::nonblocking, Waiting::meeting}) {
    RankClocks clocks = clocks_of(scenarios);
    clocks.compute(40);
    const Waited waited = clocks.finish(waiting, Times{100}, Times{300});
    EXPECT_EQ(waited.before, 40);
    EXPECT_EQ(waited.free, 100);
    EXPECT_EQ(waited.after, waiting == Waiting::meeting ? 100 : 300);
    EXPECT_EQ(shown(clocks), Times{waited.after});
  }
}

}  // namespace
}  // namespace stretto::model
