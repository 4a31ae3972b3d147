// What a neighbourhood collective's schedule has a rank send.
#include "model/exchange_plan.hpp"

#include <gtest/gtest.h>

namespace stretto::model {
namespace {

using Blocks = std::vector<std::pair<Rank, int>>;

// Of rank 1 of 4 alone: who the others' neighbours are it does not know.
ExchangePlan plan_of(Collective collective, const Neighbors& mine) {
  return exchange_plan(collective, 4, std::make_shared<const Graph>(Graph{{1, mine}}), 1);
}

Blocks blocks_of(const ExchangePlan& plan) {
  Blocks blocks;
  for (const auto& block : plan.blocks) blocks.emplace_back(block.to, block.number);
  return blocks;
}

// In a ring of two ranks both neighbours are one rank: what leaves to the left comes from the
// right.
TEST(ExchangePlan, SendsInTheOrderInWhichMessagesMatch) {
  const Neighbors mine{.sources = {{0, 0}, {0, 1}}, .destinations = {{0, 1}, {0, 0}}};
  const ExchangePlan plan = plan_of(Collective::neighbor_alltoall, mine);
  Blocks expected;
  for (const int k : in_message_order(mine.destinations)) expected.emplace_back(0, k);
  EXPECT_EQ(blocks_of(plan), expected);
  EXPECT_EQ(plan.from, 2);
}

TEST(ExchangePlan, ARanksOwnBlockIsCopiedAndNobodysIsLeftOut) {
  const Neighbors mine{.sources = {{1, 0}, {Edge::kNobody, 0}, {3, 0}},
                       .destinations = {{2, 0}, {Edge::kNobody, 0}, {1, 0}}};
  const ExchangePlan plan = plan_of(Collective::neighbor_alltoall, mine);
  EXPECT_EQ(blocks_of(plan), (Blocks{{2, 0}, {1, 2}}));
  EXPECT_EQ(plan.from, 1);
}

TEST(ExchangePlan, OfAnAllgatherTheOneBlockGoesToAll) {
  const Neighbors mine{.sources = {{0, 0}, {2, 0}}, .destinations = {{3, 0}, {0, 0}}};
  const ExchangePlan plan = plan_of(Collective::neighbor_allgather, mine);
  EXPECT_EQ(blocks_of(plan), (Blocks{{3, 0}, {0, 0}}));
  EXPECT_EQ(plan.from, 2);
}

}  // namespace
}  // namespace stretto::model
