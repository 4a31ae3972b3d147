#include "selection/fastest.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "model/simulate.hpp"
#include "selection/assumed.hpp"

namespace stretto {
namespace {

std::string_view chosen(const Query& query, int hosts) {
  const Machine machine = with_hosts_of(assumed_machine(), query.size / hosts);
  return fastest(query, machine, hosts).algorithm->name;
}

constexpr Query kAllreduce{.collective = Collective::allreduce, .size = 1024, .bytes = 20'000};

TEST(Fastest, SendsNothingShortRoundARingOfManyRanks) {
  EXPECT_NE(chosen(kAllreduce, 64), "ring");
  EXPECT_NE(chosen({.collective = Collective::allgather, .size = 1024, .bytes = 8}, 64), "ring");
  EXPECT_NE(
      chosen({.collective = Collective::allgather, .size = 1024, .bytes = 8, .uneven = true}, 1024),
      "ring");
  EXPECT_NE(chosen({.collective = Collective::bcast, .size = 1024, .bytes = 32'768}, 64), "chain");
}

TEST(Fastest, NeedsLogarithmicallyManyMessagesForShortVectorsOfAMillionRanks) {
  const int ranks = 1 << 20;
  EXPECT_EQ(chosen({.collective = Collective::reduce, .size = ranks, .bytes = 8}, ranks / 16),
            "binomial");
  EXPECT_EQ(
      chosen({.collective = Collective::reduce_scatter, .size = ranks, .bytes = 8}, ranks / 16),
      "two_level");
  EXPECT_EQ(chosen({.collective = Collective::reduce_scatter, .size = ranks, .bytes = 8}, ranks),
            "recursive_halving");
}

TEST(Fastest, SendsLongVectorsOverTheLinkAboutOnceOrTwice) {
  const std::string_view name =
      chosen({.collective = Collective::allreduce, .size = 32, .bytes = 16 << 20}, 32);
  EXPECT_TRUE(name == "ring" || name == "rabenseifner") << name;
}

// What is estimated is what runs.
TEST(Fastest, CutsNoVectorIntoMoreSegmentsThanRun) {
  constexpr Count kMost = INT32_MAX;
  for (const Collective collective : {Collective::bcast, Collective::allreduce, Collective::scan}) {
    Count shortest = kMost;
    for (const Choice& choice :
         options({.collective = collective, .size = 64, .bytes = kMost}, 4)) {
      if (choice.segment_bytes > 0) shortest = std::min(shortest, choice.segment_bytes);
    }
    EXPECT_EQ(shortest, 128 << 10);
  }
  EXPECT_EQ(segment_for(2048, 1 << 20), 2048);
  EXPECT_EQ(segment_for(2048, Count{16} << 30), 1 << 20);
}

TEST(Fastest, CutsNoElement) {
  EXPECT_EQ(segment_for(2048, 1 << 20, 12), 2052);
  EXPECT_EQ(segment_for(2048, 1 << 20, 1 << 20), 0);
  for (const Collective collective :
       {Collective::reduce, Collective::allreduce, Collective::scan, Collective::exscan}) {
    for (const Count element : {4 << 10, 64 << 10, 1 << 20}) {
      for (const Count count : {1, 4, 1000}) {
        Query query{.collective = collective,
                    .size = 64,
                    .bytes = count * element,
                    .element_bytes = element};
        for (const Choice& choice : options(query, 4)) {
          EXPECT_EQ(choice.segment_bytes % element, 0) << choice.algorithm->name;
          EXPECT_LT(choice.segment_bytes, query.bytes) << choice.algorithm->name;
        }
        for (const int size : {4, 64}) {
          query.size = size;
          for (const char* name : {"none", "chain", "ring", "linear"}) {
            Overrides forced;
            forced[static_cast<std::size_t>(collective)].algorithm =
                find_algorithm(collective, name);
            const Choice chosen = choose(query, {.hosts = 2, .progress_thread = true}, forced);
            EXPECT_EQ(chosen.segment_bytes % element, 0) << chosen.algorithm->name;
          }
        }
      }
    }
  }
}

// In ns, as the simulator has it.
double simulated(const Choice& choice, const Query& query, const Machine& machine) {
  const Shape shape{.collective = query.collective,
                    .size = query.size,
                    .count = query.bytes / query.element_bytes,
                    .segment = choice.segment_bytes / query.element_bytes,
                    .radix = choice.radix};
  const model::Conditions conditions{.arrivals =
                                         std::vector<double>(static_cast<std::size_t>(query.size))};
  const auto answer = model::simulate(
      {.algorithm = choice.algorithm, .shape = shape, .element_bytes = query.element_bytes},
      machine, conditions);
  return *std::max_element(answer.outcome.ends.begin(), answer.outcome.ends.end());
}

// A chain of 1,024 ranks whose one segment is all of the vector takes 38 times as long as a tree.
TEST(Fastest, ReducesFewLongElementsAsFastAsAnythingDoes) {
  const Query query{
      .collective = Collective::reduce, .size = 1024, .bytes = 1 << 20, .element_bytes = 1 << 20};
  const Machine machine = with_hosts_of(assumed_machine(), 16);
  const Choice chosen = choose(query, {.hosts = 64, .progress_thread = true}, {});
  double best = std::numeric_limits<double>::infinity();
  for (const Choice& choice : options(query, 64)) {
    best = std::min(best, simulated(choice, query, machine));
  }
  EXPECT_LE(simulated(chosen, query, machine), 1.25 * best) << chosen.algorithm->name;
}

TEST(Fastest, GoesByTheLayoutWhereHostsHaveSeveralRanksEach) {
  const auto any_by_layout = [](const Query& query, int hosts) {
    return std::ranges::any_of(options(query, hosts),
                               [](const Choice& choice) { return choice.algorithm->uses_layout; });
  };
  Query query{.collective = Collective::bcast, .size = 64, .bytes = 1 << 20};
  EXPECT_TRUE(any_by_layout(query, 4));
  EXPECT_FALSE(any_by_layout(query, 1));
  EXPECT_FALSE(any_by_layout(query, 64));
  EXPECT_FALSE(any_by_layout(query, 0));
  query.two_groups = true;
  EXPECT_FALSE(any_by_layout(query, 4));
}

TEST(Fastest, IsWhatIsForcedWhereverRanksAre) {
  const Query query{.collective = Collective::bcast, .size = 64, .bytes = 1 << 20};
  Overrides overrides;
  const Algorithm* const two_level = find_algorithm(Collective::bcast, "two_level");
  overrides[static_cast<std::size_t>(Collective::bcast)].algorithm = two_level;
  const Choice forced = choose(query, {.hosts = 4}, overrides);
  EXPECT_EQ(forced.algorithm, two_level);
  EXPECT_EQ(forced.segment_bytes, 32 * 1024);
}

// A rank holds a few times what it has in all.
TEST(Fastest, TakesNoAlltoallThroughHostsOfMoreThanAFewMegabytes) {
  const Algorithm& two_level = *find_algorithm(Collective::alltoall, "two_level");
  EXPECT_TRUE(
      may_run(two_level, {.collective = Collective::alltoall, .size = 64, .bytes = 1 << 15}));
  EXPECT_FALSE(
      may_run(two_level, {.collective = Collective::alltoall, .size = 64, .bytes = (1 << 15) + 1}));
}

TEST(Fastest, KeepsRankOrderAndSingleBlocksWhereTheyMatter) {
  for (const Choice& choice : options({.collective = Collective::reduce_scatter,
                                       .size = 64,
                                       .bytes = 1024,
                                       .uneven = true,
                                       .commutative = false},
                                      4)) {
    EXPECT_TRUE(choice.algorithm->keeps_rank_order);
    EXPECT_TRUE(choice.algorithm->single_blocks);
  }
}

// choose() remembers what it worked out: what it answers depends on all that it is asked.
TEST(Fastest, IsWhatChooseAnswersHoweverOftenItIsAsked) {
  for (int round = 0; round < 2; ++round) {
    for (Count bytes = 1; bytes <= Count{1} << 24; bytes *= 2) {
      for (const int hosts : {2, 16, 1024}) {
        Query query = kAllreduce;
        query.bytes = bytes;
        const Choice got = choose(query, {.hosts = hosts, .progress_thread = true}, {});
        EXPECT_EQ(got.algorithm->name, chosen(query, hosts)) << bytes << ' ' << hosts;
      }
    }
  }
}

}  // namespace
}  // namespace stretto
