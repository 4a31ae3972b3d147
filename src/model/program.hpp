// What all ranks do, flat: schedules as the event engine takes them.
#pragma once

#include <cstdint>
#include <vector>

#include "model/costs.hpp"
#include "model/matching.hpp"
#include "schedule/schedule.hpp"

namespace stretto::model {

enum class OpKind : std::uint8_t { send, recv, work };

struct Op {
  double ready = 0;          // the latest end so far of what it waits for
  OpId first_dependent = 0;  // in Program::dependents; the next op's is the end
  OpId mate = kNoOp;         // of a send: its receive
  Rank rank = 0;
  std::int32_t waits = 0;  // for so many ops, and a receive for its message
  CostId cost = kFree;
  OpKind kind{};
};

class Program {
 public:
  // Ranks come in order, from 0 on. `costs` must be the same for all.
  void add(const Schedule& schedule, Costs& costs);
  // To be called after the last rank; throws std::logic_error where a message has one end only.
  void finish();

  [[nodiscard]] const std::vector<Op>& ops() const { return ops_; }
  [[nodiscard]] const std::vector<OpId>& dependents() const { return dependents_; }
  [[nodiscard]] int ranks() const { return static_cast<int>(first_op_.size()); }
  [[nodiscard]] std::int64_t messages() const { return messages_; }

 private:
  void list_dependents(const Schedule& schedule, OpId first);

  std::vector<Op> ops_;
  std::vector<OpId> dependents_;
  std::vector<OpId> first_op_;  // of each rank
  Matching matching_;
  std::int64_t messages_ = 0;
};

}  // namespace stretto::model
