// The event engine against closed forms and cases worked out by hand.
#include "model/events.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "collectives/algorithm.hpp"
#include "model/small_machines.hpp"
#include "schedule/builder.hpp"

namespace stretto::model {
namespace {

std::vector<Schedule> build_all(Collective collective, const char* algorithm, Shape shape) {
  shape.collective = collective;
  std::vector<Schedule> ranks;
  for (Rank rank = 0; rank < shape.size; ++rank) {
    ranks.push_back(find_algorithm(collective, algorithm)->build(shape, {}, rank));
  }
  return ranks;
}

double end_of(const Outcome& outcome) {
  return *std::max_element(outcome.ends.begin(), outcome.ends.end());
}

double simulated(const std::vector<Schedule>& ranks, const Machine& machine,
                 std::int64_t signal_bytes = 0) {
  return end_of(by_events(ranks, machine, all_at_once(ranks.size()), 1, signal_bytes));
}

void expect_close(double value, double exact) { EXPECT_NEAR(value, exact, 1e-9 * exact); }

// Rounds of o + L + (s - 1) G + o; 88,672 ns is what LogGOPSim answers for 65,536 ranks.
TEST(Events, MeetTheClosedFormOfDissemination) {
  for (const int ranks : {2, 3, 64, 100, 1024}) {
    const double rounds = std::ceil(std::log2(ranks));
    const auto barrier = build_all(Collective::barrier, "dissemination", {.size = ranks});
    expect_close(simulated(barrier, loggopsim(), 8), rounds * (1500 + 2500 + 1500 + 7 * 6));
  }
}

TEST(Events, MeetTheClosedFormOfARing) {
  for (const int ranks : {2, 3, 17, 64}) {
    const auto ring = build_all(Collective::allgather, "ring", {.size = ranks, .count = 1000});
    expect_close(simulated(ring, loggopsim()), (ranks - 1) * (1500 + 2500 + 1500 + 999 * 6));
  }
}

// A node sends to its children one gap after the other, the largest subtree first.
double binomial(int levels, double gap, double message) {
  double end = 0;
  for (int child = 0; child < levels; ++child) {
    end = std::max(end, child * gap + message + binomial(levels - 1 - child, gap, message));
  }
  return end;
}

TEST(Events, MeetTheClosedFormOfABinomialTree) {
  for (const int levels : {1, 3, 6}) {
    for (const Count bytes : {1, 8, 5000}) {
      const auto tree =
          build_all(Collective::bcast, "binomial", {.size = 1 << levels, .count = bytes});
      const double stream = static_cast<double>(bytes - 1) * 6;
      const double gap = std::max(1500.0, 1000 + stream);
      expect_close(simulated(tree, loggopsim()),
                   binomial(levels, gap, 1500 + 2500 + stream + 1500));
    }
  }
}

TEST(Events, ChargeReductions) {
  Machine machine = loggopsim();
  machine.reduce = 100;
  machine.reduce_per_byte = 2;
  const auto ranks =
      build_all(Collective::allreduce, "recursive_doubling", {.size = 64, .count = 10});
  expect_close(simulated(ranks, machine), 6 * (1500 + 2500 + 9 * 6 + 1500 + 100 + 10 * 2));
}

// One message from rank 0 to rank 1.
std::vector<Schedule> one_message(Count count) {
  const Shape shape{.collective = Collective::bcast, .size = 2, .count = count};
  Builder root(shape, 0);
  root.send(1, root.output({0, count}));
  Builder leaf(shape, 1);
  leaf.recv(0, leaf.output({0, count}));
  return {root.finish(), leaf.finish()};
}

TEST(Events, WaitForTheLaterOfMessageAndRank) {
  const double flight = 1500 + 2500 + 9 * 6;
  const auto ends = [&](double root, double leaf) {
    return by_events(one_message(10), loggopsim(), {.arrivals = {root, leaf}}, 1).ends;
  };
  EXPECT_EQ(ends(0, 0), (Ends{1500.0, flight + 1500}));
  EXPECT_EQ(ends(700, 0), (Ends{2200.0, 700 + flight + 1500}));
  EXPECT_EQ(ends(0, 9000), (Ends{1500.0, 9000.0 + 1500}));
}

TEST(Events, OfNoStepsEndWithTheArrival) {
  const std::vector<Schedule> idle(2);
  EXPECT_EQ(by_events(idle, loggopsim(), {.arrivals = {5, 7}}, 1).ends, (Ends{5.0, 7.0}));
}

// What comes first is received first, though the schedule names it last.
TEST(Events, ReceiveInTheOrderOfArrival) {
  const Shape shape{.collective = Collective::gather, .size = 3, .count = 1};
  std::vector<Schedule> ranks;
  Builder root(shape, 0);
  const StepId slow = root.recv(1, root.output({1, 1}));
  const StepId fast = root.recv(2, root.output({2, 1}));
  root.copy(root.output({1, 1}), root.output({0, 1}), after(slow));
  root.copy(root.output({2, 1}), root.output({0, 1}), after(fast));
  ranks.push_back(root.finish());
  for (const Rank rank : {1, 2}) {
    Builder leaf(shape, rank);
    leaf.send(0, leaf.input({0, 1}));
    ranks.push_back(leaf.finish());
  }
  Machine machine = uniform(100, 10, 0, 0);
  machine.copy = 1000;
  // Rank 2's at 110, received by 120 and copied by 1120; rank 1's, sent at 50, comes meanwhile.
  const auto ends = by_events(ranks, machine, {.arrivals = {0, 50, 0}}, 1).ends;
  EXPECT_DOUBLE_EQ(ends[0], 1120 + 10 + 1000);
}

TEST(Events, MessagesOfAHostTakeTurnsOnItsLink) {
  // Ranks 0 and 1 on one host send 1000 bytes each to ranks 2 and 3 on another.
  const Shape shape{.collective = Collective::bcast, .size = 4, .count = 1000};
  std::vector<Schedule> ranks;
  for (Rank rank = 0; rank < 4; ++rank) {
    Builder step(shape, rank);
    if (rank < 2) {
      step.send(rank + 2, step.output({0, 1000}));
    } else {
      step.recv(rank - 2, step.output({0, 1000}));
    }
    ranks.push_back(step.finish());
  }
  const auto machine_with = [](const char* network) {
    return machine_of(std::string("level 2 0 0 host\nmessage 0 100 10 10 0 0 0\n") + network +
                      "message 0 100 10 10 0 0 8\n");
  };
  const auto ends = [&](const char* network) {
    return by_events(ranks, machine_with(network), all_at_once(4), 1).ends;
  };
  const double alone = 10 + 100 + 999 * 8 + 10;
  EXPECT_EQ(ends("level 0 0 0 network\n"), (Ends{10.0, 10.0, alone, alone}));
  EXPECT_EQ(ends("level 0 8 0 network\n"), (Ends{10.0, 10.0, alone, alone + 8000}));
  EXPECT_EQ(ends("level 0 0 8 network\n"), (Ends{10.0, 10.0, alone, alone + 8000}));
}

TEST(Events, AMessageThatWaitsForItsSenderTakesItsTurnOnLinksWhenItLeaves) {
  // Rank 0 sends 1000 bytes to rank 1, then to rank 2, who gets as much of rank 1 meanwhile.
  const Shape shape{.collective = Collective::bcast, .size = 3, .count = 1000};
  std::vector<Builder> steps;
  for (Rank rank = 0; rank < 3; ++rank) steps.emplace_back(shape, rank);
  const auto all = [](Builder& step) { return step.output({0, 1000}); };
  steps[0].send(1, all(steps[0]));
  steps[0].send(2, all(steps[0]));
  steps[1].send(2, all(steps[1]));
  steps[1].recv(0, all(steps[1]));
  steps[2].recv(0, all(steps[2]));
  steps[2].recv(1, all(steps[2]));
  std::vector<Schedule> ranks;
  for (Builder& step : steps) ranks.push_back(step.finish());
  const Machine machine = machine_of(
      "level 1 0 0 host\nmessage 0 100 10 10 0 0 0\n"
      "level 0 8 0 network\nmessage 0 100 10 10 0 0 8\n");
  const auto ends = by_events(ranks, machine, all_at_once(3), 1).ends;
  // The link is free for the second after 10 + 8000; rank 1's came at 8102, and is through.
  EXPECT_DOUBLE_EQ(ends[2], 8010 + 100 + 999 * 8 + 10);
}

TEST(Events, RefuseMessagesWithOneEnd) {
  auto ranks = one_message(1);
  ranks[1].steps.clear();
  EXPECT_THROW(by_events(ranks, loggopsim(), all_at_once(2), 1), std::logic_error);
}

TEST(Events, RefuseStepsThatWaitForEachOther) {
  const Shape shape{.collective = Collective::bcast, .size = 2, .count = 1};
  std::vector<Schedule> ranks;
  for (const Rank rank : {0, 1}) {
    Builder step(shape, rank);
    const StepId got = step.recv(1 - rank, step.output({0, 1}));
    step.send(1 - rank, step.output({0, 1}), after(got));
    ranks.push_back(step.finish());
  }
  EXPECT_THROW(by_events(ranks, loggopsim(), all_at_once(2), 1), std::logic_error);
}

}  // namespace
}  // namespace stretto::model
