// A replayed trace shows the times that the model's clocks show, and scales as programs do.
#include "replay/replay.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <numeric>
#include <set>
#include <utility>

#include "model/rank_clocks.hpp"
#include "replay/digest.hpp"
#include "replay/scaling.hpp"
#include "trace/random_trace.hpp"

namespace stretto::replay {
namespace {

using trace::Ending;
using trace::OpKind;
using trace::Recorder;

constexpr std::int64_t kBytes = 1000;

std::vector<model::Scenario> scenarios() {
  std::istringstream text(
      "scenario sim\nmachine m\nlevel 0 0 0 all\nmessage 0 1000 100 200 0 50 1\n"
      "scenario zero\ncollective allreduce 0\ncollective alltoall 0\nmachine m\nlevel 0 0 0 all\n"
      "message 0 1000 100 200 0 50 1\n");
  return model::read_scenarios(text);
}

std::vector<int> all(int ranks) {
  std::vector<int> members(static_cast<std::size_t>(ranks));
  std::iota(members.begin(), members.end(), 0);
  return members;
}

// A program on any number of ranks: who computes how long, sends to whom, and what together.
struct Program {
  std::vector<int> dims;
  bool is_periodic = true;
  std::int64_t alltoall = 0;   // all that a rank contributes
  bool along_rows = false;     // an allreduce of each row
  bool by_collective = false;  // its messages go by a neighbourhood collective
};

int ranks_of(const Program& program) { return Grid{program.dims}.ranks(); }

void collective(Recorder& recorder, int comm, int site, Collective what, std::int64_t bytes) {
  recorder.did(
      {.kind = OpKind::begin, .bytes = bytes, .comm = comm, .site = site, .collective = what});
  recorder.did({.kind = OpKind::finish});
}

trace::Op neighbors(int comm, int site) {
  return {.kind = OpKind::begin,
          .comm = comm,
          .site = site,
          .collective = Collective::neighbor_alltoall};
}

trace::Trace run(const Program& program) {
  const Grid grid{program.dims, program.is_periodic};
  const int ranks = grid.ranks();
  return trace::read(trace::recorded(ranks, [&](Recorder& recorder, int rank) -> Ending {
    const int world = recorder.add(trace::Comm{.id = 1, .members = all(ranks)});
    const unsigned last_dim = 1U << (program.dims.size() - 1);
    const auto mine = grid.slice(rank, last_dim);
    const int row = recorder.add(trace::Comm{.id = 100 + mine.front(), .members = mine});
    const int site = recorder.add(trace::Site{.function = "MPI_Allreduce", .ranks = ranks});
    for (int turn = 0; turn < 10; ++turn) {
      recorder.lasted(OpKind::compute, 5000);
      trace::Op receive{.kind = OpKind::receive};
      trace::Op exchange = neighbors(world, site);
      for (std::size_t dim = 0; dim < program.dims.size(); ++dim) {
        for (const int step : {-1, 1}) {
          Coords way{};
          way[dim] = step;
          const int to = grid.from(rank, way);
          if (to < 0) continue;
          exchange.to.push_back({to, kBytes});
          exchange.bytes += kBytes;
          ++exchange.from;
          receive.taken.push_back({to, 0});
          if (program.by_collective) continue;
          recorder.did({.kind = OpKind::send, .peer = to, .bytes = kBytes});
        }
      }
      if (program.by_collective) {
        recorder.did(exchange);
        recorder.did({.kind = OpKind::finish});
      } else if (program.dims.size() > 1 || !program.is_periodic || grid.ranks() > 2) {
        recorder.did(receive);
      }
      collective(recorder, world, site, Collective::allreduce, 8);
      if (program.alltoall > 0) {
        collective(recorder, world, site, Collective::alltoall, program.alltoall / ranks);
      }
      if (program.along_rows) collective(recorder, row, site, Collective::allreduce, 64);
    }
    return {.ends = {0, 0}, .computed_ns = 50'000};
  }));
}

std::vector<std::vector<double>> ends_of(const std::vector<Part>& parts) {
  std::vector<std::vector<double>> ends;
  for (const Replayed& rank : replay(scenarios(), parts)) ends.push_back(rank.ends);
  return ends;
}

TEST(Replay, AMessageTakesWhatTheClocksSay) {
  const auto text = trace::recorded(2, [](Recorder& recorder, int rank) -> Ending {
    recorder.lasted(OpKind::compute, 300);
    if (rank == 0) {
      recorder.did({.kind = OpKind::send, .peer = 1, .bytes = kBytes});
    } else {
      recorder.did({.kind = OpKind::receive, .taken = {{0, 0}}});
    }
    return {.ends = {0}};
  });
  const trace::Trace trace = trace::read(text);
  const auto ends = ends_of(parts_of(trace));
  EXPECT_EQ(ends[0][0], 300 + 100);
  EXPECT_EQ(ends[1][0], 300 + 100 + 1000 + (kBytes - 1) + 200);
}

TEST(Replay, WhoComputesSlowerComesLater) {
  const trace::Trace trace = run({.dims = {4}});
  auto parts = parts_of(trace);
  const double before = ends_of(parts)[2][1];
  parts[1].computing = 2;
  EXPECT_EQ(ends_of(parts)[2][1], before + 50'000);
}

TEST(Replay, AWaitInVainNamesTheRank) {
  const auto text = trace::recorded(2, [](Recorder& recorder, int rank) -> Ending {
    if (rank == 1) recorder.did({.kind = OpKind::receive, .taken = {{0, 0}}});
    return {.ends = {0}};
  });
  const trace::Trace trace = trace::read(text);
  try {
    static_cast<void>(ends_of(parts_of(trace)));
    FAIL();
  } catch (const Unmatched& bad) {
    EXPECT_STREQ(bad.what(), "rank 1 waits for a message of rank 0 that is never sent");
  }
}

TEST(Replay, ACollectiveThatOneRankLeavesOutIsNoticed) {
  const auto text = trace::recorded(2, [](Recorder& recorder, int rank) -> Ending {
    const int world = recorder.add(trace::Comm{.id = 1, .members = {0, 1}});
    const int site = recorder.add(trace::Site{});
    if (rank == 0) collective(recorder, world, site, Collective::barrier, 0);
    return {.ends = {0}};
  });
  const trace::Trace trace = trace::read(text);
  EXPECT_THROW(static_cast<void>(ends_of(parts_of(trace))), Unmatched);
}

// Each rank has two neighbours: who comes late is waited for by those alone.
TEST(Replay, NeighboursWaitForEachOther) {
  const auto text = trace::recorded(4, [](Recorder& recorder, int rank) -> Ending {
    const int world = recorder.add(trace::Comm{.id = 1, .members = all(4)});
    trace::Op exchange = neighbors(world, recorder.add(trace::Site{.function = "n"}));
    exchange.to = {{(rank + 3) % 4, 1}, {(rank + 1) % 4, 1}, {rank, 1}};
    exchange.from = 2;
    exchange.bytes = 3;
    if (rank == 0) recorder.lasted(OpKind::compute, 10'000);
    recorder.did(exchange);
    recorder.did({.kind = OpKind::finish});
    return {.ends = {0}};
  });
  const trace::Trace trace = trace::read(text);
  const auto ranks = replay(scenarios(), parts_of(trace));
  // The first is sent at 100, the second at 200.
  EXPECT_EQ(ranks[0].ends[0], 10'200 + 2 * 200);
  EXPECT_EQ(ranks[1].ends[0], 10'200 + 1000 + 200);
  EXPECT_EQ(ranks[2].ends[0], 1100 + 2 * 200);
  EXPECT_EQ(ranks[3].ends[0], 10'100 + 1000 + 200);
  EXPECT_EQ(ranks[3].sites[0].waiting_ns, 10'000);
  EXPECT_EQ(ranks[3].sites[0].transfer_ns, 100 + 1000 + 200);
  EXPECT_EQ(ranks[3].sites[0].bytes, 3);
}

// Two series, started in another order on each rank.
TEST(Replay, PersistentCollectivesMayBeStartedInAnyOrder) {
  const auto text = trace::recorded(2, [](Recorder& recorder, int rank) -> Ending {
    const int world = recorder.add(trace::Comm{.id = 1, .members = all(2)});
    const int site = recorder.add(trace::Site{});
    const auto start = [&](int series) {
      recorder.did({.kind = OpKind::begin,
                    .slot = series,
                    .comm = world,
                    .site = site,
                    .collective = series == 1 ? Collective::allreduce : Collective::bcast,
                    .series = series});
    };
    for (int turn = 0; turn < 3; ++turn) {
      for (const int series : rank == 0 ? std::vector{1, 2} : std::vector{2, 1}) start(series);
      for (const int slot : {1, 2}) recorder.did({.kind = OpKind::finish, .slot = slot});
    }
    return {.ends = {0}};
  });
  const trace::Trace trace = trace::read(text);
  EXPECT_NO_THROW(static_cast<void>(ends_of(parts_of(trace))));
}

TEST(Replay, ANeighbourThatDoesSomethingElseIsNoticed) {
  for (const bool is_other : {false, true}) {
    const auto text = trace::recorded(2, [&](Recorder& recorder, int rank) -> Ending {
      const int world = recorder.add(trace::Comm{.id = 1, .members = all(2)});
      trace::Op exchange = neighbors(world, recorder.add(trace::Site{}));
      exchange.to = {{1 - rank, 1}};
      exchange.from = 1;
      if (rank == 1 && is_other) exchange.collective = Collective::neighbor_allgather;
      if (rank == 0 || is_other) recorder.did(exchange);
      if (rank == 0 || is_other) recorder.did({.kind = OpKind::finish});
      return {.ends = {0}};
    });
    const trace::Trace trace = trace::read(text);
    EXPECT_THROW(static_cast<void>(ends_of(parts_of(trace))), Unmatched) << is_other;
  }
}

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
    for (const trace::Block& block : op.to) EXPECT_EQ(block.bytes, kBytes / 2);
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
        for (const trace::Block& block : neighbors) {
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
    collective(recorder, world, recorder.add(trace::Site{}), Collective::allreduce, 8);
    return {.ends = {0}};
  });
  const trace::Trace trace = trace::read(text);
  EXPECT_THROW(static_cast<void>(scaled(trace, {.factor = 4})), Irregular);
}

TEST(Scaled, HostsThatDifferAreRefused) {
  trace::Trace trace = run({.dims = {8}});
  for (trace::RankTrace& rank : trace.ranks) rank.seat.host = rank.rank / 4;
  const Scaled made = scaled(trace, {.factor = 2});
  EXPECT_EQ(made.parts.at(15).seat.host, 3);
  for (trace::RankTrace& rank : trace.ranks) rank.seat.host = rank.rank % 2;
  EXPECT_THROW(static_cast<void>(scaled(trace, {.factor = 2})), Irregular);
}

TEST(Scaled, MoreRanksHaveMoreComplexesLaidOutAlike) {
  trace::Trace trace = run({.dims = {8}});
  const auto complexes = [](const Scaled& made) {
    std::vector<int> all;
    for (const Part& part : made.parts) all.push_back(part.seat.core_complex);
    return all;
  };
  EXPECT_EQ(complexes(scaled(trace, {.factor = 2})), std::vector<int>(16, kNoComplex));
  // Round robin on one host, which gets larger.
  for (trace::RankTrace& rank : trace.ranks) rank.seat = {0, rank.rank % 2};
  const Scaled one = scaled(trace, {.factor = 2});
  EXPECT_EQ(complexes(one), (std::vector<int>{0, 1, 0, 1, 0, 1, 0, 1, 2, 3, 2, 3, 2, 3, 2, 3}));
  EXPECT_EQ(one.parts.at(15).seat.host, 0);
  // And on two.
  for (trace::RankTrace& rank : trace.ranks) {
    rank.seat = {rank.rank / 4, rank.rank / 4 * 2 + rank.rank % 2};
  }
  const auto two = complexes(scaled(trace, {.factor = 2}));
  EXPECT_EQ(std::vector<int>(two.begin(), two.begin() + 4), (std::vector<int>{0, 1, 0, 1}));
  EXPECT_EQ(two.at(4), two.at(6));
  EXPECT_EQ(std::set<int>(two.begin(), two.end()).size(), 8U);
}

TEST(Replay, ComplexesSetTheClocks) {
  std::istringstream text(
      "scenario sim\nmachine m\nlevel 2 0 0 core complex\nmessage 0 1000 100 200 0 50 1\n"
      "level 0 0 0 host\nmessage 0 9000 100 200 0 50 1\n");
  const auto scenario = model::read_scenarios(text);
  const auto text_of_trace = trace::recorded(4, [](Recorder& recorder, int rank) -> Ending {
    if (rank == 0) recorder.did({.kind = OpKind::send, .peer = 2, .bytes = 1});
    if (rank == 2) recorder.did({.kind = OpKind::receive, .taken = {{0, 0}}});
    return {.ends = {0}};
  });
  trace::Trace trace = trace::read(text_of_trace);
  EXPECT_EQ(replay(scenario, parts_of(trace)).at(2).ends.at(0), 100 + 9000 + 200);
  for (trace::RankTrace& rank : trace.ranks) rank.seat.core_complex = rank.rank % 2;
  EXPECT_EQ(replay(scenario, parts_of(trace)).at(2).ends.at(0), 100 + 1000 + 200);
}

TEST(Replay, MessagesThatNobodyTakesAreLeft) {
  const auto text = trace::recorded(2, [](Recorder& recorder, int rank) -> Ending {
    if (rank == 0) recorder.did({.kind = OpKind::send, .peer = 1, .bytes = kBytes});
    return {.ends = {0}};
  });
  const trace::Trace trace = trace::read(text);
  EXPECT_EQ(replay(scenarios(), parts_of(trace)).at(1).left, 1U);
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
