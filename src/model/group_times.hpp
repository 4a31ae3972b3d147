// Collectives of one communicator in every scenario.
#pragma once

#include <memory>
#include <unordered_map>
#include <vector>

#include "model/meeting.hpp"

namespace stretto::model {

class GroupTimes {
 public:
  // The scenarios must outlive it; `places`: of all ranks of MPI_COMM_WORLD, by scenario;
  // `members`: the communicator's.
  GroupTimes(const std::vector<Scenario>& scenarios, const std::vector<std::vector<Rank>>& places,
             const std::vector<int>& members);

  // The number in it of a rank of MPI_COMM_WORLD.
  [[nodiscard]] std::size_t member(int rank) const { return members_.at(rank); }
  // All ranks' ends, by scenario, until it is asked again: they have all come. Blocks that differ
  // are taken at their mean.
  [[nodiscard]] const std::vector<CollectiveEnds>& of(const Meeting& meeting);

 private:
  [[nodiscard]] CollectiveCall call_of(const Meeting& meeting) const;

  std::unordered_map<int, std::size_t> members_;
  std::vector<std::unique_ptr<CollectiveTimes>> times_;
  std::vector<CollectiveEnds> ends_;
  std::vector<double> begun_;
};

}  // namespace stretto::model
