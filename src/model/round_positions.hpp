// In which round each step of a rank takes place, for the vector path.
#pragma once

#include <cstdint>
#include <vector>

#include "schedule/schedule.hpp"

namespace stretto::model {

// A round of a rank is some work, then at most one send, more work, and at most one receive.
struct RoundPosition {
  std::uint32_t round = 0;
  std::uint32_t number = 0;  // of work: among that before the send, or after it
  bool after_send = false;
};

// All of a schedule's steps.
struct RoundPositions {
  std::vector<RoundPosition> steps{};
  std::uint32_t rounds = 0;
  std::vector<std::uint32_t> overtaking{};  // rounds whose receive waits for its message only
  bool fit = true;                          // false: the schedule is not round-structured
};

// Of all ranks whose schedules have its form.
[[nodiscard]] RoundPositions round_positions_of(const Schedule& schedule);

}  // namespace stretto::model
