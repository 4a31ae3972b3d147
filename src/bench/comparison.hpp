// Several ways to run a collective, measured in turn: whatever disturbs one disturbs all.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "mpi/native.hpp"
#include "schedule/shape.hpp"

namespace stretto::bench {

struct Comparison {
  Collective collective{};
  std::int64_t bytes = 0;
  int ways = 1;
  // How late each rank is, in ns, by pattern; a pattern without any calls several times in a row.
  std::vector<std::vector<double>> patterns{};
  int rounds = 1;  // in each all ways are measured once; fewer where that takes too long
};

// By pattern and way: what each round took, in ns. That is a call's time from when a rank comes to
// it until it goes on, as the mean of all ranks: what the program pays.
using ComparisonTimes = std::vector<std::vector<std::vector<double>>>;

// Called by all ranks; all get the answer. `use` makes the next calls go the way it is given;
// `through` are the functions by which they go.
[[nodiscard]] ComparisonTimes hold(const Comparison& comparison, MPI_Comm comm,
                                   const Native& through, const std::function<void(int way)>& use);

}  // namespace stretto::bench
