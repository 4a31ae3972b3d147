// What the MPI's own collectives cost.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "bench/samples.hpp"
#include "mpi/native.hpp"
#include "schedule/shape.hpp"

namespace stretto::bench {

struct CollectiveTime {
  Collective collective{};
  std::int64_t bytes = 0;  // of the vector or of one rank's block, as Shape::count
  int calls = 1;           // so many in a row, each with the next rank as its root
  Sample time;             // a call's, of the rank that takes longest, in ns
  // The same where the data are in no cache; where that was measured, or `time` is that already.
  std::optional<Sample> cold{};
};

// Called by all ranks; all get the answer. Each row of calls begins when all ranks are there.
[[nodiscard]] std::vector<CollectiveTime> measure_collectives(MPI_Comm comm);

}  // namespace stretto::bench
