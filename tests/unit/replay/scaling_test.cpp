// A trace scales as its program does; and what that is found out with.
#include "replay/scaling.hpp"

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <utility>

#include "replay/digest.hpp"
#include "replay/programs.hpp"

namespace stretto::replay {
namespace {

// The small program's trace on more ranks is the large program's trace.
void expect_scales(const Program& small, int factor, const Program& large) {
  const trace::Trace recorded_small = run(small);
  const trace::Trace recorded_large = run(large);
  const Scaled made = scaled(recorded_small, {.factor = factor});
  EXPECT_EQ(made.grid.dims, large.dims);
  EXPECT_EQ(made.pattern.grid.is_periodic, small.is_periodic);
  ASSERT_EQ(made.parts.size(), static_cast<std::size_t>(ranks_of(large)));
  EXPECT_EQ(ends_of(made.parts), ends_of(parts_of(recorded_large)));
}

TEST(Scaled, ARingIsALargerRing) {
  expect_scales({.dims = {5}}, 3, {.dims = {15}});
  expect_scales({.dims = {4}, .alltoall = 1 << 16}, 4, {.dims = {16}, .alltoall = 1 << 16});
}

TEST(Scaled, NeighboursOfACollectiveAreThoseOfTheLargerGrid) {
  expect_scales({.dims = {5}, .by_collective = true}, 3, {.dims = {15}, .by_collective = true});
  expect_scales({.dims = {4}, .is_periodic = false, .by_collective = true}, 2,
                {.dims = {8}, .is_periodic = false, .by_collective = true});
  const trace::Trace trace = run({.dims = {4, 4}, .by_collective = true});
  const Scaled strong = scaled(trace, {.factor = 4, .strong = true});
  for (const trace::Op& op : strong.parts.front().ops) {
    if (op.collective != Collective::neighbor_alltoall) continue;
    EXPECT_EQ(op.bytes, 4 * kBytes / 2);
    for (const trace::NeighborBlock& block : op.to) EXPECT_EQ(block.bytes, kBytes / 2);
  }
  EXPECT_THROW(static_cast<void>(scaled(run({.dims = {3}, .by_collective = true}), {.factor = 2})),
               Irregular);
}

// Together 2^63 bytes, which a trace is not refused for.
TEST(Scaled, ManyLargeBlocksDoNotOverflow) {
  trace::Trace trace = run({.dims = {4, 4}, .by_collective = true});
  for (trace::RankTrace& rank : trace.ranks) {
    for (trace::Op& op : rank.ops) {
      if (op.collective != Collective::neighbor_alltoall) continue;
      op.bytes = 1000;
      const auto neighbors = std::exchange(op.to, {});
      for (int i = 0; i < 2048; ++i) {
        for (const trace::NeighborBlock& block : neighbors) {
          op.to.push_back({block.to, std::int64_t{1} << 50});
        }
      }
    }
  }
  const Scaled strong = scaled(trace, {.factor = 4, .strong = true});
  for (const trace::Op& op : strong.parts.front().ops) {
    if (op.collective != Collective::neighbor_alltoall) continue;
    EXPECT_EQ(op.bytes, 500);
  }
}

TEST(Scaled, AChainKeepsItsEnds) {
  expect_scales({.dims = {4}, .is_periodic = false}, 2, {.dims = {8}, .is_periodic = false});
  expect_scales({.dims = {5}, .is_periodic = false}, 7, {.dims = {35}, .is_periodic = false});
}

TEST(Scaled, AGridGrowsWhereItIsSmallest) {
  expect_scales({.dims = {4, 5}}, 2, {.dims = {8, 5}});
  expect_scales({.dims = {3, 4}, .is_periodic = false, .along_rows = true}, 6,
                {.dims = {9, 8}, .is_periodic = false, .along_rows = true});
  expect_scales({.dims = {3, 3, 4}, .is_periodic = false, .along_rows = true}, 2,
                {.dims = {6, 3, 4}, .is_periodic = false, .along_rows = true});
}

TEST(Scaled, StrongScalingSharesTheWork) {
  const trace::Trace trace = run({.dims = {4, 4}, .alltoall = 1 << 16});
  const Scaled made = scaled(trace, {.factor = 4, .strong = true});
  ASSERT_EQ(made.grid.dims, (std::vector<int>{8, 8}));
  const Part& part = made.parts.front();
  EXPECT_EQ(part.computing, 0.25);
  for (const trace::Op& op : part.ops) {
    if (op.kind == OpKind::send) {
      EXPECT_EQ(op.bytes, kBytes / 2);
    }
    if (op.kind != OpKind::begin) continue;
    const bool is_all = op.collective == Collective::alltoall;
    EXPECT_EQ(op.bytes, is_all ? (1 << 16) / 16 / 16 : 8);
  }
}

TEST(Scaled, RanksThatDoOtherThingsAreRefused) {
  trace::Trace trace = run({.dims = {6}});
  EXPECT_NO_THROW(static_cast<void>(scaled(trace, {.factor = 2})));
  for (trace::Op& op : trace.ranks[3].ops) {
    if (op.kind == OpKind::begin) op.collective = Collective::barrier;
  }
  EXPECT_THROW(static_cast<void>(scaled(trace, {.factor = 2})), Irregular);
}

// In a ring all do the same, so whoever is not like the first one breaks it.
TEST(Scaled, TheCallThatBreaksThePatternIsNamedAndItsRank) {
  const trace::Trace trace =
      trace::read(trace::recorded(6, [](Recorder& recorder, int rank) -> Ending {
        const int world = recorder.add(trace::Comm{.id = 1, .members = all(6)});
        const int first = recorder.add(model::CallSite{.function = "MPI_Allreduce",
                                                       .object = "/bin/solver",
                                                       .offset = 0x1a2,
                                                       .symbol = "norm"});
        const int other = recorder.add(model::CallSite{
            .function = "MPI_Bcast", .object = "/src/solver.py", .offset = 12, .is_source = true});
        for (int turn = 0; turn < 5; ++turn) {
          recorder.lasted(OpKind::compute, 50);
          collective(recorder, world, first, Collective::allreduce, 8);
        }
        if (rank == 4) {
          recorder.did({.kind = OpKind::send, .peer = 4, .bytes = kBytes});
        } else {
          collective(recorder, world, other, Collective::bcast, 8);
        }
        return {.ends = {0, 0}};
      }));
  try {
    static_cast<void>(scaled(trace, {.factor = 2}));
    FAIL();
  } catch (const Irregular& irregular) {
    EXPECT_NE(std::string(irregular.what())
                  .find(": rank 4 has a send to rank 4 where rank 0, which should do the same, has "
                        "MPI_Bcast (solver.py:12) on 6 ranks, root 0, after 15 operations that are "
                        "alike, the last call MPI_Allreduce (norm, solver+0x1a2)"),
              std::string::npos)
        << irregular.what();
  }
}

TEST(Scaled, WhoSendsToAllOthersHasNoNeighbours) {
  for (const int ranks : {3, 4, 5}) {
    const auto text = trace::recorded(ranks, [&](Recorder& recorder, int rank) -> Ending {
      trace::Op receive{.kind = OpKind::receive};
      for (int step = 1; step < ranks; ++step) {
        recorder.did({.kind = OpKind::send, .peer = (rank + step) % ranks, .bytes = kBytes});
        receive.taken.push_back({(rank + ranks - step) % ranks, 0});
      }
      recorder.did(receive);
      return {.ends = {0}};
    });
    const trace::Trace trace = trace::read(text);
    EXPECT_THROW(static_cast<void>(scaled(trace, {.factor = 4})), Irregular) << ranks;
  }
}

TEST(Scaled, OneRankShowsNothing) {
  const auto text = trace::recorded(1, [](Recorder& recorder, int) -> Ending {
    const int world = recorder.add(trace::Comm{.id = 1, .members = {0}});
    collective(recorder, world, recorder.add(model::CallSite{}), Collective::allreduce, 8);
    return {.ends = {0}};
  });
  const trace::Trace trace = trace::read(text);
  EXPECT_THROW(static_cast<void>(scaled(trace, {.factor = 4})), Irregular);
}

TEST(Scaled, HostsThatDifferAreRefused) {
  trace::Trace trace = run({.dims = {8}});
  for (trace::RankTrace& rank : trace.ranks) rank.location.host = rank.rank / 4;
  const Scaled made = scaled(trace, {.factor = 2});
  EXPECT_EQ(made.parts.at(15).location.host, 3);
  for (trace::RankTrace& rank : trace.ranks) rank.location.host = rank.rank % 2;
  EXPECT_THROW(static_cast<void>(scaled(trace, {.factor = 2})), Irregular);
}

TEST(Scaled, MoreRanksHaveMoreComplexesLaidOutAlike) {
  trace::Trace trace = run({.dims = {8}});
  const auto complexes = [](const Scaled& made) {
    std::vector<int> all;
    for (const Part& part : made.parts) all.push_back(part.location.core_complex);
    return all;
  };
  EXPECT_EQ(complexes(scaled(trace, {.factor = 2})), std::vector<int>(16, kNoComplex));
  // Round robin on one host, which gets larger.
  for (trace::RankTrace& rank : trace.ranks) rank.location = {0, rank.rank % 2};
  const Scaled one = scaled(trace, {.factor = 2});
  EXPECT_EQ(complexes(one), (std::vector<int>{0, 1, 0, 1, 0, 1, 0, 1, 2, 3, 2, 3, 2, 3, 2, 3}));
  EXPECT_EQ(one.parts.at(15).location.host, 0);
  // And on two.
  for (trace::RankTrace& rank : trace.ranks) {
    rank.location = {rank.rank / 4, rank.rank / 4 * 2 + rank.rank % 2};
  }
  const auto two = complexes(scaled(trace, {.factor = 2}));
  EXPECT_EQ(std::vector<int>(two.begin(), two.begin() + 4), (std::vector<int>{0, 1, 0, 1}));
  EXPECT_EQ(two.at(4), two.at(6));
  EXPECT_EQ(std::set<int>(two.begin(), two.end()).size(), 8U);
}

TEST(Scaled, TwoRanksDoNotShowWhereNeighboursAre) {
  const trace::Trace trace = run({.dims = {2}, .is_periodic = false});
  EXPECT_THROW(static_cast<void>(scaled(trace, {.factor = 2})), Irregular);
}

TEST(Scaled, SizesThatDifferAreToldAndTaken) {
  trace::Trace trace = run({.dims = {5}});
  trace.ranks[2].ending.computed_ns = 40'000;
  for (trace::Op& op : trace.ranks[1].ops) {
    if (op.kind == OpKind::send) op.bytes /= 2;
  }
  const Pattern pattern = *pattern_of(trace);
  EXPECT_DOUBLE_EQ(pattern.computing, 0.2);
  EXPECT_GT(pattern.bytes, 0.45);
  EXPECT_EQ(pattern.alike, 5);
}

TEST(Digest, IsThatOfTheUnfoldedSequence) {
  std::mt19937 random(5);
  const std::vector<std::uint64_t> words{11, 22, 33};
  for (int round = 0; round < 500; ++round) {
    trace::Folding folding;
    trace::Folded flat;
    std::vector<std::int64_t> times(3);
    for (std::size_t i = random() % 100; i > 0; --i) {
      const auto item = static_cast<int>(random() % 3);
      folding.append(item);
      flat.whole.push_back({.what = item});
      ++times[static_cast<std::size_t>(item)];
    }
    const trace::Folded folded = folding.take();
    ASSERT_EQ(digest_of(folded, words), digest_of(flat, words));
    ASSERT_EQ(times_of_items(folded, 3), times);
    flat.whole.push_back({.what = 1});
    ASSERT_NE(digest_of(folded, words), digest_of(flat, words));
  }
}

TEST(Grid, WaysLeadWhereTheySay) {
  for (const bool is_periodic : {true, false}) {
    const Grid grid{{3, 4, 5}, is_periodic};
    for (int from = 0; from < grid.ranks(); ++from) {
      for (int to = 0; to < grid.ranks(); ++to) {
        ASSERT_EQ(grid.from(from, grid.way(from, to)), to);
      }
    }
  }
  EXPECT_EQ((Grid{{4}, false}.from(3, {1})), -1);
  EXPECT_EQ((Grid{{4}, true}.from(3, {1})), 0);
  EXPECT_EQ((Grid{{2, 3}}.slice(4, 2)), (std::vector<int>{3, 4, 5}));
  EXPECT_EQ((Grid{{2, 3}}.slice(4, 1)), (std::vector<int>{1, 4}));
}

}  // namespace
}  // namespace stretto::replay
