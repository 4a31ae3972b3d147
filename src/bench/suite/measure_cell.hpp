// One cell of a plan: its repetitions, each timed on every rank.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "bench/suite/clocks.hpp"
#include "bench/suite/groups.hpp"
#include "bench/suite/plan.hpp"
#include "bench/suite/rows.hpp"
#include "bench/suite/synchronisation.hpp"
#include "bench/suite/work_unit.hpp"

namespace stretto::bench {

// What all cells of a launch have in common.
struct Bench {
  const Settings& settings;
  CommonClock& clocks;
  const Work& work;
  bool crowded = false;
  RowFile& file;
  std::function<void()> alive;  // called after each batch
};

// What came of it, the same on all ranks of the group.
struct CellResult {
  Scheme scheme = Scheme::none;  // by which it was measured
  std::int64_t wrong = 0;        // repetitions with wrong results, of all ranks
};

// Bytes of the buffers that this rank allocates for it.
[[nodiscard]] std::int64_t memory_of(const BenchCell& cell, const CellGroup& group, BufferUse use);

// Called by all ranks of the group. Rows are in the file when it returns; no more than those of one
// batch are in memory.
[[nodiscard]] CellResult measure_cell(const BenchCell& cell, const CellGroup& group,
                                      const Bench& bench);

}  // namespace stretto::bench
