// Collectives of one communicator in every scenario.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "model/collective_times.hpp"

namespace stretto::model {

// A rank has come to one. `call` is as it sees it: `bytes` are its own.
struct Arrival {
  CollectiveCall call{};
  const double* times = nullptr;  // by scenario
};

class GroupTimes {
 public:
  // The scenarios must outlive it; `places`: of all ranks of MPI_COMM_WORLD, by scenario;
  // `members`: the communicator's.
  GroupTimes(const std::vector<Scenario>& scenarios, const std::vector<std::vector<Rank>>& places,
             const std::vector<int>& members);

  // All ranks' ends, by scenario, until it is asked again. Blocks that differ are taken at their
  // mean.
  [[nodiscard]] const std::vector<CollectiveEnds>& of(std::span<const Arrival> arrivals);

 private:
  std::vector<std::unique_ptr<CollectiveTimes>> times_;
  std::vector<CollectiveEnds> ends_;
  std::vector<double> begun_;
};

// What a program's calls of a collective at one place take a rank, in the first scenario.
struct SiteTimes {
  std::int64_t calls = 0;
  std::int64_t bytes = 0;
  double waiting_ns = 0;   // for ranks that come later
  double transfer_ns = 0;  // what it would gain if it cost nothing

  // A call that was waited for since `before`, ended at `after`, and at `free` had it cost nothing.
  void add(std::int64_t of_bytes, double before, double free, double after);
};

}  // namespace stretto::model
