// The vector path gives the event engine's answer, to the last bit.
#include "model/rounds.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <random>
#include <set>
#include <string>
#include <utility>

#include "collectives/algorithm.hpp"
#include "model/small_machines.hpp"
#include "schedule/verify_layouts.hpp"

namespace stretto::model {
namespace {

std::vector<Schedule> build_all(const Algorithm& algorithm, int ranks, Count count) {
  Shape shape{.collective = algorithm.collective, .size = ranks, .count = count};
  if (algorithm.uses_segment) shape.segment = 16;
  if (is_neighborhood(shape.collective)) {
    shape.graph = std::make_shared<const Graph>(ring_graph(ranks));
  }
  const Layout layout = layout_of_places({{kHostLevel, {4}}}, ranks, Placement::in_order);
  std::vector<Schedule> schedules;
  for (Rank rank = 0; rank < ranks; ++rank) {
    schedules.push_back(algorithm.build(shape, layout, rank));
  }
  return schedules;
}

// Small whole numbers, so that many things happen at the same time.
Machine random_machine(std::mt19937& random) {
  const auto some = [&](int most) {
    return static_cast<double>(std::uniform_int_distribution(0, most)(random));
  };
  const auto piece = [&](std::int64_t from) {
    return CostPiece{.from_bytes = from,
                     .latency = 1 + some(8),
                     .send_overhead = some(4),
                     .recv_overhead = some(4),
                     .overhead_per_byte = some(1),
                     .gap = some(6),
                     .gap_per_byte = some(2)};
  };
  Machine machine{.copy = some(2), .copy_per_byte = some(1), .reduce_per_byte = some(1)};
  machine.levels.push_back({.name = "host", .ranks = 4, .pieces = {piece(0), piece(32)}});
  machine.levels.push_back({.name = "network", .pieces = {piece(0)}});
  return machine;
}

Conditions random_conditions(std::mt19937& random, int ranks) {
  Conditions conditions = all_at_once(static_cast<std::size_t>(ranks));
  if (random() % 2 == 0) {
    for (double& arrival : conditions.arrivals) arrival = static_cast<double>(random() % 40);
  }
  return conditions;
}

TEST(Rounds, AgreeWithTheEventsWhereverTheyAnswer) {
  std::mt19937 random(20261122);
  std::set<std::string> answered;
  for (const Algorithm* algorithm : algorithms()) {
    if (algorithm->two_groups) continue;
    for (const int ranks : {1, 2, 3, 4, 7, 8, 16, 33, 64}) {
      for (int round = 0; round < 12; ++round) {
        const auto count = static_cast<Count>(random() % 100);
        const auto schedules = build_all(*algorithm, ranks, count);
        const Machine machine = random_machine(random);
        const Conditions conditions = random_conditions(random, ranks);
        const auto fast = by_rounds(schedules, machine, conditions, 1, 8);
        if (!fast) continue;
        const Outcome slow = by_events(schedules, machine, conditions, 1, 8);
        ASSERT_EQ(fast->ends, slow.ends) << algorithm->name << " on " << ranks << " ranks";
        EXPECT_EQ(fast->messages, slow.messages);
        EXPECT_EQ(fast->events, slow.events);
        if (ranks == 64) {
          answered.insert(std::string(name_of(algorithm->collective)) + " " +
                          std::string(algorithm->name));
        }
      }
    }
  }
  for (const char* expected :
       {"barrier dissemination", "allreduce recursive_doubling", "allgather ring",
        "allgather recursive_doubling", "alltoall pairwise", "scan recursive_doubling"}) {
    EXPECT_TRUE(answered.contains(expected)) << expected << " is round-structured";
  }
}

// More ranks than are advanced together, next to each other or not.
TEST(Rounds, OfManyRanksAgreeWithTheEvents) {
  std::mt19937 random(20261123);
  const std::pair<Collective, const char*> cases[] = {
      {Collective::barrier, "dissemination"},
      {Collective::allreduce, "recursive_doubling"},
      {Collective::scan, "recursive_doubling"},
  };
  for (const auto& [collective, name] : cases) {
    int answered = 0;
    for (const int ranks : {1024, 1025, 1500, 2048}) {
      const auto schedules = build_all(*find_algorithm(collective, name), ranks, 5);
      for (int round = 0; round < 8; ++round) {
        const Machine machine = random_machine(random);
        const Conditions conditions = random_conditions(random, ranks);
        const auto fast = by_rounds(schedules, machine, conditions, 1, 8);
        if (!fast) continue;
        ++answered;
        ASSERT_EQ(fast->ends, by_events(schedules, machine, conditions, 1, 8).ends)
            << name << " on " << ranks << " ranks";
      }
    }
    EXPECT_GT(answered, 0) << name;
  }
}

// Machines on which messages wait for others: hosts share links, and one in two a medium. Copies
// and messages take time, as else the events alone know who is first.
Machine shared_machine(std::mt19937& random) {
  Machine machine = random_machine(random);
  machine.copy = machine.reduce = 1;
  for (Level& level : machine.levels) {
    for (CostPiece& piece : level.pieces) {
      piece.send_overhead += 1;
      piece.recv_overhead += 1;
    }
    level.link_per_byte = static_cast<double>(random() % 3);
    level.medium_per_byte = static_cast<double>(random() % 2) / 4;
  }
  return machine;
}

// In step, where that is what they are, and otherwise one message after the other; ranks sit
// anywhere.
TEST(Rounds, TakeTurnsOnSharedLinksAsTheEventsDo) {
  std::mt19937 random(20261126);
  std::map<std::string, int> answered;
  for (const Algorithm* algorithm : algorithms()) {
    if (algorithm->two_groups) continue;
    for (const int ranks : {2, 3, 8, 16, 33, 64}) {
      for (int round = 0; round < 24; ++round) {
        const auto schedules = build_all(*algorithm, ranks, static_cast<Count>(random() % 100));
        Machine machine = shared_machine(random);
        if (round % 3 == 0) {
          machine.places.resize(static_cast<std::size_t>(ranks) + 5);
          std::iota(machine.places.begin(), machine.places.end(), 0);
          std::shuffle(machine.places.begin(), machine.places.end(), random);
          machine.places.resize(static_cast<std::size_t>(ranks));
        }
        const Conditions conditions = random_conditions(random, ranks);
        const auto fast = by_rounds(schedules, machine, conditions, 1, 8);
        if (!fast) continue;
        ASSERT_EQ(fast->ends, by_events(schedules, machine, conditions, 1, 8).ends)
            << algorithm->name << " on " << ranks << " ranks";
        const std::string collective(name_of(algorithm->collective));
        if (machine.has_contention(ranks))
          ++answered[collective + " " + std::string(algorithm->name)];
      }
    }
  }
  for (const char* expected : {"barrier dissemination", "allreduce recursive_doubling",
                               "allgather ring", "alltoall pairwise", "scan recursive_doubling"}) {
    EXPECT_GT(answered[expected], 20) << expected << " is round-structured";
  }
}

// A rank far behind meets messages of several rounds at once, in another order.
TEST(Rounds, DoNotAnswerWhereAReceiveOvertakes) {
  const Algorithm* ring = find_algorithm(Collective::allgather, "ring");
  const auto schedules = build_all(*ring, 8, 4);
  Conditions conditions = all_at_once(8);
  EXPECT_TRUE(by_rounds(schedules, loggopsim(), conditions, 1).has_value());
  // Everything comes at once, so messages pile up at a port that is slower than the network.
  const Machine jammed = uniform(1, 0, 1000, 0);
  const auto fast = by_rounds(schedules, jammed, conditions, 1);
  if (fast) {
    EXPECT_EQ(fast->ends, by_events(schedules, jammed, conditions, 1).ends);
  }
}

TEST(Rounds, RefuseTrees) {
  const Algorithm* tree = find_algorithm(Collective::bcast, "binomial");
  EXPECT_FALSE(by_rounds(build_all(*tree, 8, 4), loggopsim(), all_at_once(8), 1).has_value());
}

}  // namespace
}  // namespace stretto::model
