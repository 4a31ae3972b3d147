// When ranks are done with a collective, against the simulator and against what they must wait for.
#include "model/collective_times.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

#include "model/ends_if_free.hpp"
#include "model/simulate.hpp"
#include "model/small_machines.hpp"
#include "selection/fastest.hpp"

namespace stretto::model {
namespace {

using Times = std::vector<double>;

constexpr const char* kCluster =
    "reduce 7 2\ncopy 3 1\n"
    "level 4 0 0 host\nmessage 0 100 10 20 0 30 1\nmessage 4096 300 40 40 0 60 1\n"
    "level 0 0 0 network\nmessage 0 2000 200 300 0 100 3\n";

// All but those of neighbours, which come last.
std::vector<Collective> followed() {
  std::vector<Collective> all;
  for (int i = 0; i < kCollectives - 2; ++i) all.push_back(static_cast<Collective>(i));
  return all;
}

CollectiveRule& rule_of(Scenario& scenario, Collective collective) {
  return scenario.collectives[static_cast<std::size_t>(collective)];
}

std::vector<Rank> first_places(int ranks) {
  std::vector<Rank> places;
  for (Rank rank = 0; rank < ranks; ++rank) places.push_back(rank);
  return places;
}

CollectiveEnds asked(const Scenario& scenario, const CollectiveCall& call, const Times& arrivals) {
  return CollectiveTimes(scenario, first_places(static_cast<int>(arrivals.size())))
      .of(call, arrivals);
}

double last(const CollectiveEnds& answer) { return *std::ranges::max_element(answer.ends); }

// By the simulator, with what is the fastest there.
Times simulated(const CollectiveCall& call, const Machine& machine, const Times& arrivals,
                const Overrides& overrides = {}) {
  const auto ranks = static_cast<int>(arrivals.size());
  const Query query{.collective = call.collective, .size = ranks, .bytes = call.bytes};
  const bool forced = overrides[static_cast<std::size_t>(call.collective)].algorithm != nullptr;
  const Choice chosen = forced ? choose(query, {.hosts = 2}, overrides)
                               : fastest(query, machine, hosts_in_blocks(machine, ranks));
  const Shape shape{.collective = call.collective,
                    .size = ranks,
                    .count = call.bytes,
                    .segment = chosen.segment_bytes,
                    .radix = chosen.radix,
                    .root = call.root};
  const auto ends =
      simulate({.algorithm = chosen.algorithm, .shape = shape}, machine, {.arrivals = arrivals})
          .outcome.ends;
  return {ends.begin(), ends.end()};
}

TEST(CollectiveTimes, OfAFreeOneAreItsMeaning) {
  Scenario scenario = on(machine_of(kCluster));
  for (CollectiveRule& rule : scenario.collectives) rule.factor = 0;
  const Times arrivals{300, 100, 900, 200, 50};
  for (int i = 0; i < kCollectives; ++i) {
    for (const Rank root : {0, 2, 4}) {
      const auto collective = static_cast<Collective>(i);
      const auto answer =
          asked(scenario, {.collective = collective, .bytes = 64, .root = root}, arrivals);
      EXPECT_EQ(answer.free, ends_if_free(collective, root, arrivals));
      EXPECT_EQ(answer.ends, answer.free) << name_of(collective);
    }
  }
}

TEST(CollectiveTimes, OfRanksThatComeTogetherAreTheSimulators) {
  const Machine machine = machine_of(kCluster);
  const Scenario scenario = on(machine);
  for (const Collective collective : followed()) {
    for (const int ranks : {2, 3, 8, 17}) {
      for (const std::int64_t bytes : {0, 8, 5000, 100000}) {
        const Times arrivals(static_cast<std::size_t>(ranks), 700);
        const Rank root = is_rooted(collective) ? ranks / 2 : 0;
        const CollectiveCall call{.collective = collective, .bytes = bytes, .root = root};
        EXPECT_EQ(asked(scenario, call, arrivals).ends, simulated(call, machine, arrivals))
            << name_of(collective) << ", " << ranks << " ranks, " << bytes << " bytes";
      }
    }
  }
}

TEST(CollectiveTimes, AreTheSameWhenAskedAgain) {
  const Scenario scenario = on(machine_of(kCluster));
  CollectiveTimes times(scenario, first_places(8));
  const auto ends = [&](std::int64_t bytes) {
    return times.of({.collective = Collective::allreduce, .bytes = bytes}, Times(8)).ends;
  };
  const Times first = ends(1);
  for (std::int64_t bytes = 2; bytes < 600; ++bytes) EXPECT_NE(ends(bytes), first);
  EXPECT_EQ(ends(1), first);
}

TEST(CollectiveTimes, ALateRankDelaysWhomItMust) {
  constexpr double kLate = 1e9;
  const Scenario scenario = on(machine_of(kCluster));
  for (const Collective collective : followed()) {
    for (const Rank late : {0, 3, 7}) {
      Times arrivals(8);
      arrivals[static_cast<std::size_t>(late)] = kLate;
      const auto answer = asked(scenario, {.collective = collective, .bytes = 8}, arrivals);
      for (std::size_t rank = 0; rank < 8; ++rank) {
        const double least = answer.free[rank] >= kLate ? kLate : 0;
        EXPECT_GE(answer.ends[rank], least) << name_of(collective) << ", rank " << rank;
      }
    }
  }
}

TEST(CollectiveTimes, ALateRankDelaysNobodyElseInATree) {
  const Scenario scenario = on(uniform(1000, 10, 0, 0));
  const Times last_is_late{0, 0, 0, 1e6};
  const CollectiveCall down{.collective = Collective::scatter, .bytes = 1};
  EXPECT_EQ(asked(scenario, down, Times(4)).ends, (Times{30, 1020, 1030, 1040}));
  EXPECT_EQ(asked(scenario, down, last_is_late).ends, (Times{30, 1020, 1030, 1e6 + 10}));
  const CollectiveCall up{.collective = Collective::gather, .bytes = 1};
  EXPECT_EQ(asked(scenario, up, Times(4)).ends, (Times{1040, 10, 10, 10}));
  EXPECT_EQ(asked(scenario, up, last_is_late).ends, (Times{1e6 + 1020, 10, 10, 1e6 + 10}));
}

// A quarter of the costs: what four times slower clocks show of them as they are.
TEST(CollectiveTimes, AreInProportionToTheirFactorAndNeverBeforeTheyCouldBeFree) {
  std::mt19937 random(20261122);
  const Scenario whole = on(machine_of(kCluster));
  for (int round = 0; round < 300; ++round) {
    for (const Collective collective : followed()) {
      Times arrivals(1 + random() % 9);
      for (double& arrival : arrivals) arrival = static_cast<double>(random() % 4096);
      const auto root = static_cast<Rank>(random() % arrivals.size());
      const CollectiveCall call{.collective = collective,
                                .bytes = static_cast<std::int64_t>(random() % 5000),
                                .root = root};
      Scenario quarter = whole;
      rule_of(quarter, collective).factor = 0.25;
      Times slower = arrivals;
      for (double& arrival : slower) arrival *= 4;
      const auto all = asked(whole, call, slower);
      const auto part = asked(quarter, call, arrivals);
      for (std::size_t rank = 0; rank < arrivals.size(); ++rank) {
        ASSERT_GE(all.ends[rank], all.free[rank]) << name_of(collective);
        EXPECT_NEAR(part.ends[rank], all.ends[rank] / 4, 1e-6) << name_of(collective);
      }
    }
  }
}

// On a tree 3 gets its data from 2.
TEST(CollectiveTimes, WaitNoLongerForALateRankWhereTheyCostMore) {
  Scenario scenario = on(uniform(1000, 10, 0, 0));
  const Times middle_is_late{0, 0, 1e6, 0};
  const CollectiveCall call{.collective = Collective::bcast, .bytes = 8};
  rule_of(scenario, Collective::bcast).factor = 3;
  scenario.algorithms[static_cast<std::size_t>(Collective::bcast)].algorithm =
      find_algorithm(Collective::bcast, "binomial");
  EXPECT_NEAR(asked(scenario, call, middle_is_late).ends[3], 1e6 + 3 * (10 + 10 + 1000 + 10), 1e-6);
}

TEST(CollectiveTimes, OfWhatWasMeasuredAreWhatWasMeasured) {
  Scenario scenario = on(machine_of(kCluster));
  for (const Collective collective : followed()) {
    rule_of(scenario, collective).measured = {{8, 4, 12345}, {4096, 4, 99}, {1 << 20, 4, 5e6}};
  }
  correct_by_measurements(scenario);
  const Times together(4);
  for (const Collective collective : followed()) {
    const auto taken = [&](std::int64_t bytes) {
      return last(asked(scenario, {.collective = collective, .bytes = bytes}, together));
    };
    EXPECT_NEAR(taken(8), 12345, 1e-6) << name_of(collective);
    EXPECT_NEAR(taken(4096), 99, 1e-6);
    EXPECT_NEAR(taken(1 << 20), 5e6, 1e-3) << name_of(collective);
  }
}

// Beyond the last that was measured messages take three times as long; nobody compared.
TEST(CollectiveTimes, GoOnAsTheyGrewBeyondTheLastThatWasMeasured) {
  Scenario scenario = on(uniform(1000, 10, 0, 1));
  CostPiece slower = scenario.machine.levels[0].pieces[0];
  slower.from_bytes = 200'000;
  slower.gap_per_byte *= 3;
  scenario.machine.levels[0].pieces.push_back(slower);
  rule_of(scenario, Collective::alltoall).measured = {{1 << 16, 4, 1e6}, {1 << 17, 4, 2.2e6}};
  rule_of(scenario, Collective::bcast).measured = {{1 << 16, 4, 1e6}, {1 << 17, 4, 1.2e6}};
  correct_by_measurements(scenario);
  const auto taken = [&](Collective collective, std::int64_t bytes) {
    return last(asked(scenario, {.collective = collective, .bytes = bytes}, Times(4)));
  };
  EXPECT_NEAR(taken(Collective::alltoall, 1 << 17), 2.2e6, 1e-3);
  EXPECT_NEAR(taken(Collective::alltoall, 1 << 18), 4.4e6, 1e-3);
  EXPECT_NEAR(taken(Collective::alltoall, 8 << 20), 64 * 2.2e6, 1e-1);
  // Not yet in proportion: the factor stays.
  const auto of_bcast = [&](std::int64_t bytes) {
    return scenario.factor(Collective::bcast, bytes);
  };
  EXPECT_EQ(of_bcast(1 << 18), of_bcast(1 << 17));
  EXPECT_NE(of_bcast(1 << 16), of_bcast(1 << 17));
}

TEST(CollectiveTimes, OfColdDataAreWhatWasMeasuredOfThem) {
  Scenario scenario = on(machine_of(kCluster));
  rule_of(scenario, Collective::alltoall).measured = {{4096, 4, 1000, 1, 2500}};
  correct_by_measurements(scenario);
  CollectiveCall call{.collective = Collective::alltoall, .bytes = 4096};
  EXPECT_NEAR(last(asked(scenario, call, Times(4))), 1000, 1e-6);
  call.cold = true;
  EXPECT_NEAR(last(asked(scenario, call, Times(4))), 2500, 1e-6);
}

// In a row they overlap where they may, as those did that were measured.
TEST(CollectiveTimes, InARowAreWhatWasMeasuredInARow) {
  for (const Collective collective : followed()) {
    Scenario scenario = on(machine_of(kCluster));
    rule_of(scenario, collective).measured = {{4096, 4, 54321, 8}};
    correct_by_measurements(scenario);
    Times now(4);
    for (int call = 0; call < 8; ++call) {
      const Rank root = is_rooted(collective) ? call % 4 : 0;
      now = asked(scenario, {.collective = collective, .bytes = 4096, .root = root}, now).ends;
    }
    EXPECT_NEAR(*std::ranges::max_element(now) / 8, 54321, 54) << name_of(collective);
  }
}

TEST(CollectiveTimes, AreCorrectedOnceAndForTheForcedAlgorithm) {
  Scenario scenario = on(machine_of(kCluster));
  scenario.algorithms[static_cast<std::size_t>(Collective::alltoall)].algorithm =
      find_algorithm(Collective::alltoall, "pairwise");
  CollectiveRule& rule = rule_of(scenario, Collective::alltoall);
  rule.measured = {{64, 8, 4321}};
  rule.factor = 0.5;
  for (int i = 0; i < 2; ++i) correct_by_measurements(scenario);
  EXPECT_EQ(rule.corrections.size(), 1U);
  const CollectiveCall call{.collective = Collective::alltoall, .bytes = 64};
  EXPECT_NEAR(last(asked(scenario, call, Times(8))), 4321.0 / 2, 1e-6);
  // There is nothing to correct where all is free.
  scenario.machine = uniform(0, 0, 0, 0);
  correct_by_measurements(scenario);
  EXPECT_TRUE(rule.corrections.empty());
}

// Latency that is added is not multiplied by what the MPI takes longer than the schedule; what
// bytes take is. The algorithm stays, whatever would be the fastest then.
TEST(CollectiveTimes, OnASlowerNetworkGoOnAsTheyWereMeasured) {
  const CollectiveCall call{.collective = Collective::allreduce, .bytes = 8};
  const auto taken = [&](Slowdown by, bool rendezvous = false) {
    Scenario scenario = on(machine_of(kCluster));
    scenario.machine.levels.back().pieces[0].rendezvous = rendezvous;
    scenario.algorithms[static_cast<std::size_t>(Collective::allreduce)].algorithm =
        find_algorithm(Collective::allreduce, "recursive_doubling");
    rule_of(scenario, Collective::allreduce).measured = {{8, 16, 50'000}};
    scenario.slower = by;
    for (int i = 0; i < 2; ++i) correct_by_measurements(scenario);
    return last(asked(scenario, call, Times(16)));
  };
  EXPECT_NEAR(taken({}), 50'000, 1e-6);
  EXPECT_NEAR(taken({.latency = 1000}), 50'000 + 2 * 1000, 1e-6);  // two rounds between hosts
  EXPECT_NEAR(taken({}, true), 50'000, 1e-6);
  EXPECT_NEAR(taken({.latency = 1000}, true), 50'000 + 2 * 3 * 1000, 1e-6);
  EXPECT_GT(taken({.per_byte = 100}), taken({}));
  const CollectiveCall any{.collective = Collective::allreduce, .bytes = 1 << 16};
  Scenario scenario = on(machine_of(kCluster));
  const double before = last(asked(scenario, any, Times(16)));
  scenario.slower = {.latency = 1e9};
  correct_by_measurements(scenario);
  const double after = last(asked(scenario, any, Times(16)));
  EXPECT_NEAR(std::remainder(after - before, 1e9), 0, 1);
}

TEST(CollectiveTimes, AreTheForcedAlgorithms) {
  const Machine machine = machine_of(kCluster);
  const CollectiveCall call{.collective = Collective::allreduce, .bytes = 64};
  const Times together(8);
  Scenario scenario = on(machine);
  const Times usual = asked(scenario, call, together).ends;
  for (const char* name : {"ring", "rabenseifner", "recursive_doubling"}) {
    const Algorithm* forced = find_algorithm(Collective::allreduce, name);
    scenario.algorithms[static_cast<std::size_t>(Collective::allreduce)].algorithm = forced;
    const Times ends = asked(scenario, call, together).ends;
    EXPECT_EQ(ends, simulated(call, machine, together, scenario.algorithms));
    EXPECT_EQ(ends == usual, std::string(name) == "recursive_doubling");
  }
}

// One that needs blocks of one size, or reorders ranks, does not do for every call.
TEST(CollectiveTimes, AreTheUsualOnesWhereTheForcedOneDoesNotDo) {
  Scenario scenario = on(machine_of(kCluster));
  const CollectiveCall uneven{.collective = Collective::allgather, .bytes = 64, .uneven = true};
  const auto usual = asked(scenario, uneven, Times(4));
  scenario.algorithms[static_cast<std::size_t>(Collective::allgather)].algorithm =
      find_algorithm(Collective::allgather, "bruck");
  EXPECT_EQ(asked(scenario, uneven, Times(4)).ends, usual.ends);
  EXPECT_GT(usual.ends, usual.free);
}

TEST(CollectiveTimes, OfOneRankAreItsArrival) {
  const Scenario scenario = on(machine_of(kCluster));
  for (const Collective each : followed()) {
    EXPECT_EQ(asked(scenario, {.collective = each, .bytes = 64}, {5}).ends, Times{5});
  }
}

TEST(CollectiveTimes, AreThoseOfTheRanksPlaces) {
  const Scenario scenario = on(machine_of(kCluster));
  const auto ends = [&](std::vector<Rank> places) {
    return CollectiveTimes(scenario, std::move(places))
        .of({.collective = Collective::bcast, .bytes = 11}, Times(2))
        .ends;
  };
  EXPECT_EQ(ends({2, 3}), (Times{10, 10 + 100 + 10 + 20}));
  EXPECT_EQ(ends({9, 3}), (Times{200, 200 + 2000 + 30 + 300}));
}

TEST(CollectiveTimes, OfATwoLevelAlgorithmAreThoseOfTheHostsThatTheRanksAreOn) {
  Scenario scenario = on(machine_of(kCluster));
  scenario.algorithms[static_cast<std::size_t>(Collective::allreduce)].algorithm =
      find_algorithm(Collective::allreduce, "two_level");
  const CollectiveCall call{.collective = Collective::allreduce, .bytes = 11};
  const auto end = [&](std::vector<Rank> places) {
    scenario.machine.places.clear();
    const auto answer = CollectiveTimes(scenario, places).of(call, Times(places.size()));
    scenario.machine.places = places;
    EXPECT_EQ(answer.ends,
              simulated(call, scenario.machine, Times(places.size()), scenario.algorithms));
    return last(answer);
  };
  // It crosses between two hosts once, however ranks are dealt round them.
  EXPECT_EQ(end({0, 1, 2, 3, 4, 5, 6, 7}), end({0, 4, 1, 5, 2, 6, 3, 7}));
  // As often as it takes among four.
  EXPECT_GT(end({0, 1, 4, 5, 8, 9, 12, 13}), end({0, 1, 2, 3, 4, 5, 6, 7}) + 2000);
}

TEST(CollectiveTimes, OnSharedLinksAreThoseOfTheEvents) {
  const std::string network = " 0 network\nmessage 0 2000 200 300 0 100 0\n";
  const std::string host = "level 4 0 0 host\nmessage 0 100 10 20 0 30 1\nlevel 0 ";
  const auto ends = [&](const std::string& link, const std::vector<Rank>& places) {
    Scenario scenario = on(machine_of(host + link + network));
    std::map<Collective, double> lasts;
    for (const Collective each : followed()) {
      const CollectiveCall call{.collective = each, .bytes = 1000};
      scenario.machine.places.clear();
      const auto answer = CollectiveTimes(scenario, places).of(call, Times(4));
      scenario.machine.places = places;
      EXPECT_EQ(answer.ends, simulated(call, scenario.machine, Times(4))) << name_of(each);
      lasts[each] = last(answer);
    }
    return lasts[Collective::alltoall];
  };
  // Four messages leave each host for the other, 8000 ns each on its link.
  EXPECT_GE(ends("8", {4, 5, 12, 13}), 4 * 8000);
  EXPECT_LT(ends("0", {4, 5, 12, 13}), 8000);
  // On four hosts three leave each; on one none.
  EXPECT_GE(ends("8", {0, 4, 8, 12}), 3 * 8000);
  EXPECT_LT(ends("8", {4, 5, 6, 7}), 8000);
}

}  // namespace
}  // namespace stretto::model
