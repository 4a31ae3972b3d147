// What the verifier must accept; what it must refuse is in planted_faults_test.cpp.
#include "schedule/verify.hpp"

#include <gtest/gtest.h>

#include "collectives/claims.hpp"
#include "schedule/small_schedules.hpp"

namespace stretto::testing {
namespace {

// The whole proof is `stretto schedule verify`; these sizes find nearly all there is.
class EveryAlgorithm : public ::testing::TestWithParam<const Algorithm*> {};

TEST_P(EveryAlgorithm, IsProvenUpToNineRanks) {
  const Algorithm& algorithm = *GetParam();
  const Claims claims = claims_of(algorithm);
  for (const int size : sizes_to_prove(9)) {
    for (const Layout& layout : layouts_to_prove(claims, size)) {
      for (const Shape& shape : shapes_to_prove(claims, size)) {
        const auto ranks = build_all(algorithm.build, shape, layout);
        const auto fault = verify(algorithm.name, shape, ranks, layout);
        ASSERT_FALSE(fault) << fault->message;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Verify, EveryAlgorithm, ::testing::ValuesIn(algorithms()),
                         [](const auto& tested) {
                           return std::string(name_of(tested.param->collective)) + "_" +
                                  std::string(tested.param->name);
                         });

TEST(Verify, AcceptsOneRankWithNothingToDo) {
  const Shape shape{.collective = Collective::barrier, .size = 1};
  EXPECT_FALSE(verify("nothing", shape, std::vector<Schedule>(1)));
}

TEST(Verify, KnowsThatOnlyTheRootOfAGatherIsInPlace) {
  const Shape shape{.collective = Collective::gather, .size = 3, .root = 1, .in_place = true};
  EXPECT_FALSE(shape_on_rank(shape, 0).in_place);
  EXPECT_TRUE(shape_on_rank(shape, 1).in_place);
}

// Rank 1's vector on the left of rank 0's: right only if the operation commutes.
Schedule reversed_pair(const Shape& shape, const Layout& /*layout*/, Rank me) {
  Builder step(shape, me);
  const Span all{0, shape.count};
  if (me == 1) {
    step.send(0, step.input(all));
    return step.finish();
  }
  const StepId mine = step.copy(step.input(all), step.output(all));
  const StepId got = step.recv(1, step.scratch(all));
  step.reduce(step.scratch(all), step.output(all), after(mine, got));
  return step.finish();
}

TEST(Verify, AsksForRankOrderOnlyWhereTheOperationDoesNotCommute) {
  Shape shape{.collective = Collective::reduce, .size = 2, .count = 3};
  EXPECT_FALSE(verify("reversed", shape, build_all(reversed_pair, shape)));
  shape.commutative = false;
  EXPECT_TRUE(verify("reversed", shape, build_all(reversed_pair, shape)));
}

// Each of three ranks gets all vectors and adds them up, from one on round the circle.
Schedule three_sums(const Shape& shape, Rank me, Rank first) {
  Builder step(shape, me);
  const Span all{0, shape.count};
  const auto slot = [&](Rank rank) { return step.scratch({rank * shape.count, shape.count}); };
  std::vector<StepId> come(3, step.copy(step.input(all), slot(me)));
  for (const Rank other : {(me + 1) % 3, (me + 2) % 3}) {
    step.send(other, step.input(all));
    come[static_cast<std::size_t>(other)] = step.recv(other, slot(other));
  }
  Rank last = first;
  for (const Rank next : {(first + 1) % 3, (first + 2) % 3}) {
    come[static_cast<std::size_t>(next)] = step.reduce(
        slot(last), slot(next),
        after(come[static_cast<std::size_t>(last)], come[static_cast<std::size_t>(next)]));
    last = next;
  }
  step.copy(slot(last), step.output(all), after(come));
  return step.finish();
}

// Of floating-point numbers (a + b) + c and (b + c) + a are not the same.
TEST(Verify, AsksForSumsThatAllRanksOfAnAllreduceAddUpInTheSameWay) {
  const Shape shape{.collective = Collective::allreduce, .size = 3, .count = 2};
  const auto alike = [](const Shape& of, const Layout&, Rank me) { return three_sums(of, me, 0); };
  EXPECT_FALSE(verify("alike", shape, build_all(alike, shape)));
  const auto own_first = [](const Shape& of, const Layout&, Rank me) {
    return three_sums(of, me, me);
  };
  const auto fault = verify("own_first", shape, build_all(own_first, shape));
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->rank, 1);
  EXPECT_NE(fault->message.find("last bits"), std::string::npos) << fault->message;
  // Who adds is the same, which is left is not: those have the same bits.
  const auto turned = [](const Shape& of, const Layout&, Rank me) {
    Builder step(of, me);
    const Span all{0, of.count};
    step.send(1 - me, step.input(all));
    const StepId theirs = step.recv(1 - me, step.output(all));
    step.reduce(step.input(all), step.output(all), after(theirs));
    return step.finish();
  };
  const Shape two{.collective = Collective::allreduce, .size = 2, .count = 2};
  EXPECT_FALSE(verify("turned", two, build_all(turned, two)));
}

TEST(Cases, CoverEverySizeAndRootTheProofPromises) {
  const std::vector<int> sizes = sizes_to_prove(129);
  EXPECT_EQ(sizes.size(), 67U);
  EXPECT_EQ(sizes.back(), 129);
  std::vector<bool> rooted_at(64);
  for (const Shape& shape : shapes_to_prove({.collective = Collective::bcast}, 64)) {
    rooted_at.at(static_cast<std::size_t>(shape.root)) = true;
  }
  EXPECT_EQ(rooted_at, std::vector<bool>(64, true));
}

TEST(Cases, AreSeveralHundredLayoutsForWhoUsesThem) {
  const Claims claims{.collective = Collective::bcast, .uses_layout = true};
  std::size_t layouts = 0;
  for (const int size : sizes_to_prove(129)) layouts += layouts_to_prove(claims, size).size();
  EXPECT_GE(layouts, 200U);
  EXPECT_EQ(layouts_to_prove({.collective = Collective::bcast}, 64).size(), 1U);
}

// What a two-level algorithm trips over, at a size at which all of it shows.
TEST(Cases, HaveHostsOfManyKinds) {
  bool single = false;
  bool uneven = false;
  bool scattered = false;
  bool nested = false;
  for (const Layout& layout : layouts_to_prove({.uses_layout = true}, 31)) {
    nested = nested || layout.levels().size() > 2;
    const LayoutLevel* const host = layout.find(kHostLevel);
    if (host == nullptr) continue;
    const Partition& hosts = host->groups();
    scattered = scattered || !hosts.in_blocks();
    for (int group = 0; group + 1 < hosts.groups(); ++group) {
      single = single || hosts.size_of(group) == 1;
      uneven = uneven || hosts.size_of(group) != hosts.size_of(group + 1);
    }
  }
  EXPECT_TRUE(single && uneven && scattered && nested);
}

TEST(Verify, NamesTheLayoutOfAFault) {
  const Shape shape{.collective = Collective::reduce, .size = 2, .count = 3, .commutative = false};
  const Layout layout({{kHostLevel, {0, 1}}});
  const auto fault = verify("reversed", shape, build_all(reversed_pair, shape), layout);
  ASSERT_TRUE(fault);
  EXPECT_NE(fault->message.find("not commutative, host {0}{1}, rank"), std::string::npos)
      << fault->message;
}

TEST(Cases, TryNonCommutativeOperationsOnlyWhereOrderIsKept) {
  const auto has_ordered = [](const Claims& claims) {
    for (const Shape& shape : shapes_to_prove(claims, 5)) {
      if (!shape.commutative) return true;
    }
    return false;
  };
  EXPECT_TRUE(has_ordered({.collective = Collective::reduce}));
  EXPECT_FALSE(has_ordered({.collective = Collective::reduce, .keeps_rank_order = false}));
  EXPECT_FALSE(has_ordered({.collective = Collective::bcast}));
}

}  // namespace
}  // namespace stretto::testing
