#include "engine/routes.hpp"

#include <gtest/gtest.h>

#include "transport/fake_transport.hpp"

namespace stretto {
namespace {

class RoutesTest : public testing::Test {
 protected:
  static FakeTransport make() {
    return {std::make_shared<FakeNetwork>(), [](int, int) { return true; }};
  }
  FakeTransport near = make(), nearer = make(), last = make();
  std::vector<Carrier> carriers{{&nearer, {.group = {1}, .reached = {2, 3}}},
                                {&near, {.group = {2}, .reached = {1, 2, 5}}},
                                {&last, {.group = {3}}}};

  void expect(const Routes& routes, Rank rank, const Transport& by, std::uintptr_t group,
              Rank peer) {
    const Route route = routes.to(rank);
    EXPECT_EQ(route.transport, &by) << rank;
    EXPECT_EQ(route.group.bits, group) << rank;
    EXPECT_EQ(route.peer, peer) << rank;
  }
};

TEST_F(RoutesTest, EachRankGoesByTheFirstThatReachesIt) {
  const Routes routes(carriers, {});
  expect(routes, 0, last, 3, 0);
  expect(routes, 1, near, 2, 1);
  expect(routes, 2, nearer, 1, 2);
  expect(routes, 3, nearer, 1, 3);
  expect(routes, 5, near, 2, 5);
  EXPECT_EQ(routes.number_of(4), 4);
}

TEST_F(RoutesTest, RanksOfTheCommunicatorAreOthersOfTheGroup) {
  const Routes routes(carriers, {5, 0, 3});
  expect(routes, 0, near, 2, 5);
  expect(routes, 1, last, 3, 0);
  expect(routes, 2, nearer, 1, 3);
  EXPECT_EQ(routes.ranks(), (std::vector<Rank>{5, 0, 3}));
}

TEST_F(RoutesTest, KnowWhetherAnyRankIsReachedByTheLastAlone) {
  EXPECT_TRUE(Routes(carriers, {5, 3}).avoid_last(2));
  EXPECT_FALSE(Routes(carriers, {5, 0}).avoid_last(2));
}

TEST_F(RoutesTest, OneTransportReachesAll) {
  const Carrier only = carriers.back();
  const Routes routes({&only, 1}, {4, 2});
  expect(routes, 0, last, 3, 4);
  expect(routes, 1, last, 3, 2);
}

TEST_F(RoutesTest, OneThatReachesNobodyIsPassedOver) {
  carriers.front().joined.reached.clear();
  const Routes routes(carriers, {2});
  expect(routes, 0, near, 2, 2);
}

}  // namespace
}  // namespace stretto
