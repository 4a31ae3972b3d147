// What both ends of a trace's messages must know of each other to be written as GOAL schedules.
#pragma once

#include <map>
#include <set>
#include <utility>
#include <vector>

#include "model/collective_times.hpp"
#include "replay/replay.hpp"

namespace stretto::replay {

// Tags: 0 of messages that are received in the order of their sending, from 1 on those of
// collectives, from here on those of messages that are not.
inline constexpr std::int64_t kNumbered = std::int64_t{1} << 30;

using GoalCallKey =
    std::pair<std::int64_t, std::int64_t>;  // of the communicator, and the number there

struct GoalCall {
  model::CollectiveCall all{};  // as its first rank has it, but for what all say together
  std::int64_t bytes = 0;       // of all ranks
  std::int64_t ranks = 0;       // that begin it
  std::int64_t tag = 0;
  struct GoalBlock {
    int from = 0;
    std::int64_t bytes = 0;
  };
  std::map<int, std::vector<GoalBlock>> blocks{};  // of an exchange, by receiver
};

// What both ends of messages must know of each other.
struct GoalMessages {
  std::map<std::pair<int, int>, std::vector<std::int64_t>> bytes{};  // by sender and receiver
  std::set<std::pair<int, int>> unordered{};
  std::map<GoalCallKey, GoalCall> calls{};
};

// Which of a sender's messages a receive takes: positions are among those not taken so far.
class Untaken {
 public:
  std::int64_t take(int position) {
    while (static_cast<std::size_t>(position) >= known_.size()) known_.push_back(next_++);
    const std::int64_t ordinal = known_[static_cast<std::size_t>(position)];
    known_.erase(known_.begin() + position);
    return ordinal;
  }

 private:
  std::vector<std::int64_t> known_;
  std::int64_t next_ = 0;
};

struct GoalReceived {
  int from = 0;
  std::int64_t ordinal = 0;
};

// Follows a rank's receives.
class GoalTaking {
 public:
  GoalReceived take(const trace::Taken& taken) {
    if (taken.from != trace::kKept) return {taken.from, untaken_[taken.from].take(taken.position)};
    const auto kept = kept_.extract(taken.position);
    if (kept.empty()) throw Unmatched("a rank receives a message that no probe has kept");
    return kept.mapped();
  }
  void keep(const trace::Op& op) { kept_[op.slot] = take(op.taken.front()); }

 private:
  std::map<int, Untaken> untaken_;
  std::map<int, GoalReceived> kept_;
};

// Numbers a rank's collectives as its communicators do.
class GoalNumbers {
 public:
  GoalCallKey next(const Part& part, const trace::Op& op) {
    std::int64_t& begun = begun_[{op.comm, op.series}];
    return {part.comms[static_cast<std::size_t>(op.comm)].id, trace::number_of(op.series, begun++)};
  }

 private:
  std::map<std::pair<int, int>, std::int64_t> begun_;
};

[[nodiscard]] GoalMessages goal_messages(const std::vector<Part>& parts);

}  // namespace stretto::replay
