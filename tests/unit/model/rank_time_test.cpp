// What a rank does, and what its call sites wait for.
#include "model/rank_time.hpp"

#include <gtest/gtest.h>

#include "model/inbox.hpp"
#include "model/small_machines.hpp"

namespace stretto::model {
namespace {

using Times = std::vector<double>;

struct Block {
  int to = 0;
  std::int64_t bytes = 0;
};

const std::vector<std::vector<Rank>> kPlaces{{0, 1, 2, 3}};

std::vector<Scenario> one_scenario() {
  std::vector<Scenario> scenarios(1);
  scenarios[0].machine = uniform(1000, 10, 50, 0);
  return scenarios;
}

TEST(RankTime, CountsWhatItComputes) {
  auto scenarios = one_scenario();
  scenarios[0].computing = 0.5;
  RankTime time(scenarios, kPlaces, 0);
  time.compute(100);
  time.pass(7);
  time.compute(20);
  EXPECT_EQ(time.computed_ns(), 120);
  EXPECT_EQ(time.now()[0], 67);
}

TEST(RankTime, CallSitesKeepApartWhatTheyWaitFor) {
  const auto scenarios = one_scenario();
  RankTime time(scenarios, kPlaces, 0);
  EXPECT_EQ(time.add_call_site(), 0);
  EXPECT_EQ(time.add_call_site(), 1);
  time.compute(40);
  // The last rank comes at 100, and all are done at 300.
  time.finish({.call_site = 1, .bytes = 8}, Waiting::blocking, Times{100}, Times{300});
  EXPECT_EQ(time.now()[0], 300);
  // This one is over when it is waited for, and only met in.
  time.finish({.call_site = 1, .bytes = 16}, Waiting::meeting, Times{250}, Times{900});
  EXPECT_EQ(time.now()[0], 300);
  EXPECT_EQ(time.at_call_site(0).calls, 0);
  const CallSiteTimes& call_site = time.at_call_site(1);
  EXPECT_EQ(call_site.calls, 2);
  EXPECT_EQ(call_site.bytes, 24);
  EXPECT_EQ(call_site.waiting_ns, 60);
  EXPECT_EQ(call_site.transfer_ns, 200);
}

TEST(RankTime, BlocksForOthersAreDelivered) {
  const auto scenarios = one_scenario();
  RankTime time(scenarios, kPlaces, 2);
  OpenCollective open{.call_site = time.add_call_site(), .bytes = 3};
  const std::vector<Block> blocks{{1, 1}, {2, 1}, {3, 1}};
  Times arrivals(1);
  std::vector<std::pair<int, double>> delivered;
  time.begin(open, Collective::neighbor_alltoall, false, blocks, arrivals,
             [&](const Block& block, std::span<const double> when) {
               delivered.emplace_back(block.to, when[0]);
             });
  EXPECT_EQ(delivered, (std::vector<std::pair<int, double>>{{1, 1010}, {3, 1060}}));
  ASSERT_NE(open.exchange, nullptr);
  const Times late{5000};
  time.finish(open, std::vector<RankClocks::Arrived>{{1, 1, late.data(), 3990}});
  EXPECT_EQ(time.now()[0], 5010);
  EXPECT_EQ(time.at_call_site(0).waiting_ns, 3990);
  EXPECT_EQ(time.at_call_site(0).transfer_ns, 5010 - 3990);
}

struct Came {
  int sender = 0;
  int number = 0;
};

TEST(Inbox, GivesBlocksBySenderAndInTheOrderOfEach) {
  Inbox<int, Came> inbox;
  EXPECT_TRUE(inbox.has(7, 0));
  EXPECT_FALSE(inbox.has(7, 1));
  inbox.add(7, {2, 0});
  inbox.add(8, {1, 0});
  inbox.add(7, {1, 0});
  inbox.add(7, {2, 1});
  EXPECT_TRUE(inbox.has(7, 3));
  EXPECT_FALSE(inbox.has(7, 4));
  std::vector<std::pair<int, int>> order;
  for (const Came& each : inbox.take(7)) order.emplace_back(each.sender, each.number);
  EXPECT_EQ(order, (std::vector<std::pair<int, int>>{{1, 0}, {2, 0}, {2, 1}}));
  EXPECT_TRUE(inbox.take(7).empty());
  EXPECT_EQ(inbox.left(), 1U);
}

}  // namespace
}  // namespace stretto::model
