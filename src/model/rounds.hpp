// The vector path: all ranks' k-th rounds at once, one pass over arrays a round (rounds_run.cpp).
//
// Schedules are round-structured if every message is sent and received in rounds of the same number
// and every rank does things in the order in which its schedule names them (see RoundPosition);
// then no queue is needed. Some receives could overtake: whether they do shows when the times are
// known. On shared links messages of a round take turns (turns.hpp), and where rounds mix, each
// rank goes through them at its own pace (rounds_async.hpp).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/large_pages.hpp"
#include "model/costs.hpp"
#include "model/forms.hpp"
#include "model/peers.hpp"
#include "model/round_positions.hpp"
#include "model/simulation.hpp"
#include "schedule/schedule.hpp"

namespace stretto::model {

// What one thing costs each rank: mostly the same.
class RankCosts {
 public:
  // Ranks come in order.
  void set(std::size_t rank, CostId cost, std::size_t ranks) {
    if (rank == set_ && cost == common_ && rank > 0) {
      ++set_;
    } else {
      set_other(rank, cost, ranks);
    }
  }
  [[nodiscard]] bool is_uniform(std::size_t ranks) const { return set_ == ranks; }
  [[nodiscard]] CostId of(std::size_t rank) const {
    if (!each_.empty()) return each_[rank];
    return rank < set_ ? common_ : kFree;
  }

 private:
  static constexpr auto kDiffer = static_cast<std::size_t>(-1);

  void set_other(std::size_t rank, CostId cost, std::size_t ranks);

  CostId common_ = kFree;  // of the ranks set so far, which are the first ones
  std::size_t set_ = 0;
  std::vector<CostId> each_;  // once they differ
};

struct Round {
  Round(std::size_t ranks, std::size_t number) : to(ranks, number), from(ranks, number + 32) {}

  std::vector<RankCosts> works;       // one after the other, before the send
  std::vector<RankCosts> more_works;  // and after it
  RankCosts sends;                    // of those that send
  Peers to;
  Peers from;
  bool may_overtake = false;  // a receive waits for its message only
};

// What a run works with, by rank: kept from one to the next by who runs the same again and again.
struct Clocks {
  LargeVector<double> cpu, next_cpu;  // when its CPU is free, and what is so after this round
  LargeVector<double> out, next_out;  // its port out
  LargeVector<double> in;             // its port in
  LargeVector<double> arrival;        // of what it sent this round
  LargeVector<double> start;          // of its send in this round
  LargeVector<Rank> list, from_list;
};

class Turns;

class Rounds {
 public:
  explicit Rounds(int ranks) : ranks_(static_cast<std::size_t>(ranks)) {}

  // Ranks come in order, from 0 on; false: not round-structured.
  [[nodiscard]] bool add(const Schedule& schedule, Costs& costs);
  // To be called after the last rank; false: not round-structured.
  [[nodiscard]] bool finish();

  // What the event engine would answer, to the last bit; nothing if a receive overtakes.
  [[nodiscard]] std::optional<Outcome> run(const Costs& costs, const Machine& machine,
                                           const std::vector<double>& arrivals) const;
  // The same: its ends are clocks.cpu. False where there is nothing.
  [[nodiscard]] bool run(const Costs& costs, const Machine& machine,
                         const std::vector<double>& arrivals, Clocks& clocks) const;

 private:
  [[nodiscard]] bool run_in_step(const Costs& costs, const std::vector<double>& arrivals,
                                 Clocks& clocks, Turns* turns) const;

  std::size_t ranks_;
  std::size_t added_ = 0;
  std::vector<Round> rounds_;
  KnownForms<RoundPositions> positions_;
  std::int64_t messages_ = 0;
  std::int64_t events_ = 0;
};

}  // namespace stretto::model
