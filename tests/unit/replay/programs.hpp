// Small programs and the traces of their runs, for the tests of replaying and scaling.
#pragma once

#include <cstdint>
#include <numeric>
#include <vector>

#include "model/scenario.hpp"
#include "replay/grid.hpp"
#include "replay/replay.hpp"
#include "trace/random_trace.hpp"

namespace stretto::replay {

using trace::Ending;
using trace::OpKind;
using trace::Recorder;

constexpr std::int64_t kBytes = 1000;

inline std::vector<model::Scenario> scenarios() {
  return model::read_scenarios(
      "scenario sim\nmachine m\nlevel 0 0 0 all\nmessage 0 1000 100 200 0 50 1\n"
      "scenario zero\ncollective allreduce 0\ncollective alltoall 0\nmachine m\nlevel 0 0 0 all\n"
      "message 0 1000 100 200 0 50 1\n");
}

inline std::vector<int> all(int ranks) {
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

inline int ranks_of(const Program& program) { return Grid{program.dims}.ranks(); }

inline void collective(Recorder& recorder, int comm, int call_site, Collective what,
                       std::int64_t bytes) {
  recorder.did({.kind = OpKind::begin,
                .bytes = bytes,
                .comm = comm,
                .call_site = call_site,
                .collective = what});
  recorder.did({.kind = OpKind::finish});
}

inline trace::Op neighbors(int comm, int call_site) {
  return {.kind = OpKind::begin,
          .comm = comm,
          .call_site = call_site,
          .collective = Collective::neighbor_alltoall};
}

inline trace::Trace run(const Program& program) {
  const Grid grid{program.dims, program.is_periodic};
  const int ranks = grid.ranks();
  return trace::read(trace::recorded(ranks, [&](Recorder& recorder, int rank) -> Ending {
    const int world = recorder.add(trace::Comm{.id = 1, .members = all(ranks)});
    const unsigned last_dim = 1U << (program.dims.size() - 1);
    const auto mine = grid.slice(rank, last_dim);
    const int row = recorder.add(trace::Comm{.id = 100 + mine.front(), .members = mine});
    const int call_site =
        recorder.add(model::CallSite{.function = "MPI_Allreduce", .ranks = ranks});
    for (int turn = 0; turn < 10; ++turn) {
      recorder.lasted(OpKind::compute, 5000);
      trace::Op receive{.kind = OpKind::receive};
      trace::Op exchange = neighbors(world, call_site);
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
      collective(recorder, world, call_site, Collective::allreduce, 8);
      if (program.alltoall > 0) {
        collective(recorder, world, call_site, Collective::alltoall, program.alltoall / ranks);
      }
      if (program.along_rows) collective(recorder, row, call_site, Collective::allreduce, 64);
    }
    return {.ends = {0, 0}, .computed_ns = 50'000};
  }));
}

inline std::vector<std::vector<double>> ends_of(const std::vector<Part>& parts) {
  std::vector<std::vector<double>> ends;
  for (const Replayed& rank : replay(scenarios(), parts)) ends.push_back(rank.ends);
  return ends;
}

}  // namespace stretto::replay
