#include "model/rounds.hpp"

#include <algorithm>
#include <span>

namespace stretto::model {
namespace {

using Ids = std::span<const StepId>;

bool has(Ids ids, StepId id) { return std::find(ids.begin(), ids.end(), id) != ids.end(); }

bool joins(const Step& step) { return step.kind == StepKind::copy && step.from.span.count == 0; }

const Step& at(const Schedule& schedule, StepId id) {
  return schedule.steps[static_cast<std::size_t>(id)];
}

// The order in which a rank's steps may well become ready: as they are named, but what does not
// wait for the receives named just before it comes before them.
void put_in_order(const Schedule& schedule, std::vector<StepId>& order) {
  order.clear();
  for (StepId id = 0; id < static_cast<StepId>(schedule.steps.size()); ++id) {
    const Step& step = at(schedule, id);
    auto place = order.end();
    while (step.kind != StepKind::recv && place != order.begin() &&
           at(schedule, place[-1]).kind == StepKind::recv &&
           !has(schedule.waits_of(step), place[-1])) {
      --place;
    }
    order.insert(place, id);
  }
}

// A step's turn cannot come before that of the one before it in that order, whatever the times.
bool follows(const Schedule& schedule, StepId id, StepId before) {
  const Step& previous = at(schedule, before);
  const Ids waits = schedule.waits_of(at(schedule, id));
  if (has(waits, before)) return true;
  const Ids others = schedule.waits_of(previous);
  return previous.kind != StepKind::recv &&
         std::all_of(others.begin(), others.end(), [&](StepId wait) { return has(waits, wait); });
}

void work(const RankCosts& round, const std::vector<double>& works, std::vector<double>& cpu) {
  if (round.is_uniform(cpu.size())) {
    const double cost = works[round.of(0)];
    for (double& each : cpu) each += cost;
    return;
  }
  for (std::size_t rank = 0; rank < cpu.size(); ++rank) cpu[rank] += works[round.of(rank)];
}

// One run. Its loops over all ranks are written for a compiler that makes vectors of them, so
// what most of them can do without is a parameter: `ports`, where a rank's port may be busy when
// its CPU is not, and `checks`, where a receive may be ready before the send named before it.
template <bool ports>
class Run {
 public:
  Run(const Costs& costs, const std::vector<double>& arrivals)
      : costs_(costs),
        cpu_(arrivals),
        out_(ports ? arrivals.size() : 0),
        in_(out_),
        arrival_(arrivals.size()) {}

  // False where a receive may overtake.
  [[nodiscard]] bool exchange(const Round& round) {
    if (!round.may_overtake) return exchange<false>(round);
    start_.resize(cpu_.size());
    return exchange<true>(round);
  }

  [[nodiscard]] std::vector<double> ends() { return std::move(cpu_); }

 private:
  // All send, so all receive: every message is sent and received in one round.
  [[nodiscard]] bool is_uniform(const Round& round) const {
    return round.sends.is_uniform(cpu_.size());
  }
  [[nodiscard]] const MessageCost& cost_of(const Round& round, std::size_t rank) const {
    return costs_.messages()[round.sends.of(rank)];
  }

  template <bool checks>
  bool exchange(const Round& round) {
    for (const RankCosts& each : round.works) work(each, costs_.works(), cpu_);
    send<checks>(round);
    for (const RankCosts& each : round.more_works) work(each, costs_.works(), cpu_);
    return receive<checks>(round);
  }

  template <bool checks>
  void send(const Round& round) {
    const std::size_t ranks = cpu_.size();
    if (is_uniform(round)) {
      const MessageCost cost = cost_of(round, 0);
      for (std::size_t rank = 0; rank < ranks; ++rank) send_one<checks>(rank, cost);
      return;
    }
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      if (round.to[rank] >= 0) send_one<checks>(rank, cost_of(round, rank));
    }
  }

  // False where one overtakes.
  template <bool checks>
  bool receive(const Round& round) {
    const std::size_t ranks = cpu_.size();
    const Rank* from = round.from.data();
    int overtaken = 0;
    if (is_uniform(round)) {
      const MessageCost cost = cost_of(round, 0);
      for (std::size_t rank = 0; rank < ranks; ++rank) {
        overtaken |= receive_one<checks>(rank, from[rank], cost);
      }
      return overtaken == 0;
    }
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      if (from[rank] < 0) continue;
      const MessageCost& cost = cost_of(round, static_cast<std::size_t>(from[rank]));
      if (checks && round.to[rank] >= 0) {
        overtaken |= receive_one<true>(rank, from[rank], cost);
      } else {
        receive_one<false>(rank, from[rank], cost);
      }
    }
    return overtaken == 0;
  }

  template <bool checks>
  void send_one(std::size_t rank, const MessageCost& cost) {
    const double start = ports ? std::max(cpu_[rank], out_[rank]) : cpu_[rank];
    if constexpr (ports) out_[rank] = start + cost.gap;
    cpu_[rank] = start + cost.send;
    arrival_[rank] = cpu_[rank] + cost.wire;
    if constexpr (checks) start_[rank] = start;
  }

  // Whether it overtakes: the send was ready when it started, at the latest.
  template <bool checks>
  int receive_one(std::size_t rank, Rank from, const MessageCost& cost) {
    const double arrived = arrival_[static_cast<std::size_t>(from)];
    const double ready = std::max(cpu_[rank], arrived);
    const double start = ports ? std::max(ready, in_[rank]) : ready;
    if constexpr (ports) in_[rank] = start + cost.gap;
    cpu_[rank] = start + cost.recv;
    return checks ? static_cast<int>(arrived <= start_[rank]) : 0;
  }

  const Costs& costs_;
  std::vector<double> cpu_;       // when each rank's CPU is free
  std::vector<double> out_, in_;  // and its ports
  std::vector<double> arrival_;   // of what each rank sent this round
  std::vector<double> start_;     // when its send began
};

template <bool ports>
std::optional<std::vector<double>> run_all(const std::vector<Round>& rounds, const Costs& costs,
                                           const std::vector<double>& arrivals) {
  Run<ports> run(costs, arrivals);
  for (const Round& round : rounds) {
    if (!run.exchange(round)) return {};
  }
  return run.ends();
}

}  // namespace

void RankCosts::set(std::size_t rank, CostId cost, std::size_t ranks) {
  if (each_.empty()) {
    if (rank == 0) common_ = cost;
    if (rank == set_ && cost == common_) {
      ++set_;
      return;
    }
    each_.assign(ranks, kFree);
    std::fill_n(each_.begin(), set_, common_);
  }
  each_[rank] = cost;
}

Round& Rounds::round(std::size_t number) {
  if (number == rounds_.size()) rounds_.emplace_back(ranks_, number);
  return rounds_[number];
}

bool Rounds::add(const Schedule& schedule, Costs& costs) {
  constexpr std::size_t kMostPeers = std::size_t{1} << 28;  // of each list: 1 GiB
  const std::size_t me = added_++;
  std::size_t number = 0;
  std::size_t works = 0;  // in this round so far
  StepId before = kNoStep;
  events_ += static_cast<std::int64_t>(schedule.steps.size());
  put_in_order(schedule, order_);
  for (const StepId id : order_) {
    const Step& step = at(schedule, id);
    if (joins(step)) return false;
    if ((number + 2) * ranks_ > kMostPeers) return false;
    Round* now = &round(number);
    if (now->from[me] >= 0 || (now->to[me] >= 0 && step.kind == StepKind::send)) {
      now = &round(++number);
      works = 0;
    }
    if (before != kNoStep && !follows(schedule, id, before)) {
      // After the send of the same round the times will tell.
      const bool after_send = at(schedule, before).kind == StepKind::send && now->to[me] >= 0;
      if (step.kind != StepKind::recv || step.waits != 0 || !after_send) return false;
      now->may_overtake = true;
    }
    if (step.kind == StepKind::send) {
      now->to[me] = step.peer;
      works = 0;
      now->sends.set(me, costs.message(schedule.rank, step.peer, step.from.span.count), ranks_);
      ++messages_;
    } else if (step.kind == StepKind::recv) {
      now->from[me] = step.peer;
    } else {
      auto& list = now->to[me] >= 0 ? now->more_works : now->works;
      if (works == list.size()) list.emplace_back();
      list[works++].set(me, costs.work(step.kind, step.from.span.count), ranks_);
    }
    before = id;
  }
  return true;
}

bool Rounds::finish() {
  std::int64_t received = 0;
  for (const Round& round : rounds_) {
    for (std::size_t rank = 0; rank < ranks_; ++rank) {
      const Rank from = round.from[rank];
      if (from < 0) continue;
      if (round.to[static_cast<std::size_t>(from)] != static_cast<Rank>(rank)) return false;
      ++received;
    }
  }
  return received == messages_;
}

std::optional<Outcome> Rounds::run(const Costs& costs, const std::vector<double>& arrivals) const {
  const auto& messages = costs.messages();
  const bool ports = std::any_of(messages.begin(), messages.end(), [](const MessageCost& cost) {
    return cost.gap > std::min(cost.send, cost.recv);
  });
  auto ends =
      ports ? run_all<true>(rounds_, costs, arrivals) : run_all<false>(rounds_, costs, arrivals);
  if (!ends) return {};
  return Outcome{.ends = std::move(*ends), .messages = messages_, .events = events_};
}

}  // namespace stretto::model
