#include "model/rounds.hpp"

#include <algorithm>

namespace stretto::model {

void RankCosts::set_other(std::size_t rank, CostId cost, std::size_t ranks) {
  if (rank == 0) {
    common_ = cost;
    set_ = 1;
    return;
  }
  if (each_.empty()) {
    each_.assign(ranks, kFree);
    std::fill_n(each_.begin(), set_, common_);
    set_ = kDiffer;
  }
  each_[rank] = cost;
}

bool Rounds::add(const Schedule& schedule, Costs& costs) {
  constexpr std::size_t kMostPeers = std::size_t{1} << 28;  // of each list: 1 GiB
  const RoundPositions& positions = positions_.of(schedule, round_positions_of);
  if (!positions.fit || positions.rounds * ranks_ > kMostPeers) return false;
  while (rounds_.size() < positions.rounds) rounds_.emplace_back(ranks_, rounds_.size());
  for (const std::uint32_t number : positions.overtaking) rounds_[number].may_overtake = true;
  const std::size_t me = added_++;
  events_ += static_cast<std::int64_t>(schedule.steps.size());
  const RoundPosition* position = positions.steps.data();
  std::int64_t messages = 0;
  for (const Step& step : schedule.steps) {
    Round& round = rounds_[position->round];
    if (step.kind == StepKind::send) {
      round.to.set(me, step.peer);
      round.sends.set(me, costs.message(schedule.rank, step.peer, step.from.span.count), ranks_);
      ++messages;
    } else if (step.kind == StepKind::recv) {
      round.from.set(me, step.peer);
    } else {
      auto& works = position->after_send ? round.more_works : round.works;
      while (works.size() <= position->number) works.emplace_back();
      works[position->number].set(me, costs.work(step.kind, step.from.span.count), ranks_);
    }
    ++position;
  }
  messages_ += messages;
  return true;
}

bool Rounds::finish() {
  std::int64_t received = 0;
  for (Round& round : rounds_) {
    round.to.finish();
    round.from.finish();
    if (round.from.empty()) continue;
    if (round.from.undo(round.to)) {
      received += static_cast<std::int64_t>(ranks_);
      continue;
    }
    for (std::size_t rank = 0; rank < ranks_; ++rank) {
      const Rank from = round.from[rank];
      if (from < 0) continue;
      if (round.to[static_cast<std::size_t>(from)] != static_cast<Rank>(rank)) return false;
      ++received;
    }
  }
  return received == messages_;
}

}  // namespace stretto::model
