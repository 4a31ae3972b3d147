// Ranks of a communicator that come to one of its collectives, and when.
#pragma once

#include <span>
#include <vector>

#include "model/collective_times.hpp"

namespace stretto::model {

class Meeting {
 public:
  // A rank of MPI_COMM_WORLD is there. Of the call, `bytes` are its own; `now` is by scenario.
  void arrive(int rank, const CollectiveCall& call, std::span<const double> now);
  [[nodiscard]] std::size_t arrived() const { return ranks_.size(); }
  // Is it the collective that the first one came to?
  [[nodiscard]] bool is_of(const CollectiveCall& call) const;
  // For another; its memory is kept.
  void clear();

 private:
  friend class GroupTimes;

  // In the order in which they came.
  std::vector<int> ranks_;
  std::vector<CollectiveCall> calls_;
  std::vector<double> times_;  // all of a rank's together
};

}  // namespace stretto::model
