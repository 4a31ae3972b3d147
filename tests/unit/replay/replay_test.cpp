// A replayed trace shows the times that the model's clocks show.
#include "replay/replay.hpp"

#include <gtest/gtest.h>

#include "model/rank_clocks.hpp"
#include "replay/programs.hpp"

namespace stretto::replay {
namespace {

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
    const int call_site = recorder.add(model::CallSite{});
    if (rank == 0) collective(recorder, world, call_site, Collective::barrier, 0);
    return {.ends = {0}};
  });
  const trace::Trace trace = trace::read(text);
  EXPECT_THROW(static_cast<void>(ends_of(parts_of(trace))), Unmatched);
}

// Each rank has two neighbours: who comes late is waited for by those alone.
TEST(Replay, NeighboursWaitForEachOther) {
  const auto text = trace::recorded(4, [](Recorder& recorder, int rank) -> Ending {
    const int world = recorder.add(trace::Comm{.id = 1, .members = all(4)});
    trace::Op exchange = neighbors(world, recorder.add(model::CallSite{.function = "n"}));
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
  EXPECT_EQ(ranks[3].call_sites[0].waiting_ns, 10'000);
  EXPECT_EQ(ranks[3].call_sites[0].transfer_ns, 100 + 1000 + 200);
  EXPECT_EQ(ranks[3].call_sites[0].bytes, 3);
}

// Two series, started in another order on each rank.
TEST(Replay, PersistentCollectivesMayBeStartedInAnyOrder) {
  const auto text = trace::recorded(2, [](Recorder& recorder, int rank) -> Ending {
    const int world = recorder.add(trace::Comm{.id = 1, .members = all(2)});
    const int call_site = recorder.add(model::CallSite{});
    const auto start = [&](int series) {
      recorder.did({.kind = OpKind::begin,
                    .slot = series,
                    .comm = world,
                    .call_site = call_site,
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
      trace::Op exchange = neighbors(world, recorder.add(model::CallSite{}));
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

TEST(Replay, ComplexesSetTheClocks) {
  const auto scenario = model::read_scenarios(
      "scenario sim\nmachine m\nlevel 2 0 0 core complex\nmessage 0 1000 100 200 0 50 1\n"
      "level 0 0 0 host\nmessage 0 9000 100 200 0 50 1\n");
  const auto text_of_trace = trace::recorded(4, [](Recorder& recorder, int rank) -> Ending {
    if (rank == 0) recorder.did({.kind = OpKind::send, .peer = 2, .bytes = 1});
    if (rank == 2) recorder.did({.kind = OpKind::receive, .taken = {{0, 0}}});
    return {.ends = {0}};
  });
  trace::Trace trace = trace::read(text_of_trace);
  EXPECT_EQ(replay(scenario, parts_of(trace)).at(2).ends.at(0), 100 + 9000 + 200);
  for (trace::RankTrace& rank : trace.ranks) rank.location.core_complex = rank.rank % 2;
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

}  // namespace
}  // namespace stretto::replay
