// A rank's part in neighbourhood collectives, against the simulator and times worked out by hand.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "collectives/algorithm.hpp"
#include "model/rank_clocks.hpp"
#include "model/small_machines.hpp"
#include "selection/selection.hpp"

namespace stretto::model {
namespace {

using Times = std::vector<double>;

constexpr Collective kAlltoall = Collective::neighbor_alltoall;

RankClocks clocks_of(const std::vector<Scenario>& scenarios, Rank me = 0) {
  static const std::vector<std::vector<Rank>> places(8, {0, 1, 2, 3, 4, 5, 6, 7});
  return {scenarios, places, me};
}

Times shown(const RankClocks& clocks) { return {clocks.now().begin(), clocks.now().end()}; }

Times sent(RankClocks& clocks, NeighborExchange& exchange, Rank to, std::int64_t bytes) {
  Times arrivals(clocks.now().size(), -1);
  clocks.send(exchange, to, bytes, arrivals);
  return arrivals;
}

// When each rank is done with a ring's alltoall, by the clocks of ranks that come at these times.
Times by_clocks(const Machine& machine, const Times& arrivals, std::int64_t bytes) {
  const auto size = static_cast<int>(arrivals.size());
  const Graph graph = ring_graph(size);
  const std::vector<Scenario> scenarios{on(machine)};
  std::vector<RankClocks> ranks;
  std::vector<NeighborExchange> exchanges;
  std::vector<std::vector<std::pair<Rank, double>>> came(arrivals.size());
  for (Rank me = 0; me < size; ++me) {
    ranks.push_back(clocks_of(scenarios, me));
    ranks.back().compute(arrivals[static_cast<std::size_t>(me)]);
    exchanges.push_back(ranks.back().exchange(kAlltoall, false));
    const auto& edges = graph.at(me).destinations;
    for (const int k : in_message_order(edges)) {
      const Rank to = edges[static_cast<std::size_t>(k)].peer;
      const double arrival = sent(ranks.back(), exchanges.back(), to, bytes)[0];
      came[static_cast<std::size_t>(to)].emplace_back(me, arrival);
    }
  }
  Times ends;
  for (std::size_t me = 0; me < arrivals.size(); ++me) {
    std::vector<RankClocks::Arrived> messages;
    for (const auto& [from, time] : came[me]) messages.push_back({from, bytes, &time});
    static_cast<void>(ranks[me].finish(exchanges[me], messages));
    ends.push_back(ranks[me].now()[0]);
  }
  return ends;
}

TEST(NeighborExchange, IsWhatTheSimulatorMakesOfTheSchedule) {
  std::mt19937 random(7);
  const auto below = [&](double most) {
    return std::uniform_real_distribution<double>(0, most)(random);
  };
  const Algorithm* linear = find_algorithm(kAlltoall, "linear");
  ASSERT_NE(linear, nullptr);
  for (int round = 0; round < 300; ++round) {
    const int size = 3 + static_cast<int>(random() % 6);
    const Machine machine = uniform(below(5000), below(500), below(900), below(3));
    const std::int64_t bytes = 1 + random() % 2000;
    Times arrivals(static_cast<std::size_t>(size));
    for (double& each : arrivals) each = below(9000);
    Shape shape{.collective = kAlltoall, .size = size, .count = bytes};
    shape.graph = std::make_shared<const Graph>(ring_graph(size));
    std::vector<Schedule> schedules;
    for (Rank me = 0; me < size; ++me) schedules.push_back(linear->build(shape, {}, me));
    const auto ends = by_events(schedules, machine, {.arrivals = arrivals}, 1).ends;
    const Times ours = by_clocks(machine, arrivals, bytes);
    for (std::size_t me = 0; me < ends.size(); ++me) {
      ASSERT_NEAR(ours[me], ends[me], 1e-6) << round << " rank " << me;
    }
  }
}

// As many times as the collective's factor says, whatever messages cost; 0: it is only waited for.
TEST(NeighborExchange, CostsAsManyTimesAsMuch) {
  std::vector<Scenario> scenarios(3, on(uniform(1000, 10, 50, 2)));
  for (Scenario& each : scenarios) each.point_to_point = 7;
  scenarios[1].collectives[static_cast<std::size_t>(kAlltoall)].factor = 0;
  scenarios[2].collectives[static_cast<std::size_t>(kAlltoall)].factor = 3;
  RankClocks clocks = clocks_of(scenarios);
  clocks.compute(100);
  NeighborExchange exchange = clocks.exchange(kAlltoall, false);
  EXPECT_EQ(sent(clocks, exchange, 1, 11), (Times{1130, 100, 100 + 3 * 1030}));
  EXPECT_EQ(sent(clocks, exchange, 2, 11), (Times{1200, 100, 100 + 3 * 1100}));
  EXPECT_EQ(shown(clocks), (Times{180, 100, 100 + 3 * 80}));
  const Times late{5000, 5000, 5000};
  const Times early{200, 50, 200};
  const auto waited = clocks.finish(
      exchange,
      std::vector<RankClocks::Arrived>{{1, 11, late.data(), 3000}, {2, 11, early.data(), 50}});
  EXPECT_EQ(shown(clocks), (Times{5010, 5000, 5030}));
  EXPECT_EQ(waited.before, 100);
  EXPECT_EQ(waited.free, 3000);
}

TEST(NeighborExchange, APortOfTheProgramsMessagesDoesNotHoldItBack) {
  const std::vector<Scenario> scenarios{on(uniform(1000, 10, 5000, 0))};
  RankClocks clocks = clocks_of(scenarios);
  Times arrivals(1);
  clocks.send(1, 1, arrivals);
  NeighborExchange exchange = clocks.exchange(kAlltoall, false);
  EXPECT_EQ(sent(clocks, exchange, 1, 1), Times{1020});
  EXPECT_EQ(sent(clocks, exchange, 1, 1), Times{6020});
}

TEST(NeighborExchange, ABlockForTheRankItselfIsCopied) {
  Machine machine = uniform(1000, 10, 50, 2);
  machine.copy = 5;
  machine.copy_per_byte = 2;
  std::vector<Scenario> scenarios(2, on(machine));
  scenarios[1].collectives[static_cast<std::size_t>(kAlltoall)].factor = 0;
  RankClocks clocks = clocks_of(scenarios, 3);
  NeighborExchange exchange = clocks.exchange(kAlltoall, false);
  EXPECT_EQ(sent(clocks, exchange, 3, 100), (Times{205, 0}));
  EXPECT_EQ(sent(clocks, exchange, 3, 0), (Times{205, 0})) << "there is nothing to copy";
  static_cast<void>(clocks.finish(exchange, {}));
  EXPECT_EQ(shown(clocks), (Times{205, 0}));
}

// It is sent at 10 and arrives at 1010; the rank computes for so long and then waits.
TEST(NeighborExchange, WithOverlapANonblockingOneGoesOnMeanwhile) {
  std::vector<Scenario> scenarios(2, on(uniform(1000, 10, 50, 0)));
  scenarios[1].overlap = true;
  const auto completed = [&](bool nonblocking, double computed) {
    RankClocks clocks = clocks_of(scenarios);
    NeighborExchange exchange = clocks.exchange(kAlltoall, nonblocking);
    const Times arrivals = sent(clocks, exchange, 1, 1);
    EXPECT_EQ(arrivals, (Times{1010, 1010}));
    clocks.compute(computed);
    const std::vector<RankClocks::Arrived> message{{1, 1, arrivals.data()}};
    const auto waited = clocks.finish(exchange, message);
    EXPECT_EQ(waited.before, computed) << "what it sent is a part of what it costs";
    return shown(clocks);
  };
  EXPECT_EQ(completed(true, 0), (Times{1020, 1020}));
  EXPECT_EQ(completed(true, 500), (Times{1020, 1020}));
  EXPECT_EQ(completed(true, 3000), (Times{3020, 3000}));
  EXPECT_EQ(completed(false, 0), (Times{1020, 1020}));
}

}  // namespace
}  // namespace stretto::model
