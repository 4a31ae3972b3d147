#include "model/rounds.hpp"

#include <algorithm>

#include "base/large_pages.hpp"

namespace stretto::model {
namespace {

// Ranks from the first one to the end.
struct Stretch {
  std::size_t first;
  std::size_t end;
};

void work(const RankCosts& round, const std::vector<double>& works, Stretch ranks,
          std::vector<double>& cpu) {
  if (round.is_uniform(cpu.size())) {
    const double cost = works[round.of(0)];
    for (std::size_t rank = ranks.first; rank < ranks.end; ++rank) cpu[rank] += cost;
    return;
  }
  for (std::size_t rank = ranks.first; rank < ranks.end; ++rank) cpu[rank] += works[round.of(rank)];
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

  // False where a receive overtakes.
  [[nodiscard]] bool exchange(const Round& round) {
    return round.may_overtake ? exchange<true>(round) : exchange<false>(round);
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
    if (is_uniform(round) && round.more_works.empty()) return exchange_all<checks>(round);
    work_all(round.works, {0, cpu_.size()});
    send<checks>(round);
    work_all(round.more_works, {0, cpu_.size()});
    return receive<checks>(round);
  }

  void work_all(const std::vector<RankCosts>& list, Stretch ranks) {
    for (const RankCosts& each : list) work(each, costs_.works(), ranks, cpu_);
  }

  // Every rank sends and receives. What its send does is worked out twice: that is cheaper than
  // what it takes to keep it.
  template <bool checks>
  bool exchange_all(const Round& round) {
    const std::size_t ranks = cpu_.size();
    const Rank* from = round.from.data();
    const MessageCost cost = cost_of(round, 0);
    constexpr std::size_t kTogether = 1024;  // whose clocks stay in the nearest cache
    for (std::size_t first = 0; first < ranks; first += kTogether) {
      const Stretch some{first, std::min(first + kTogether, ranks)};
      work_all(round.works, some);
      for (std::size_t rank = some.first; rank < some.end; ++rank) {
        arrival_[rank] = start_of_send(rank) + cost.send + cost.wire;
      }
    }
    int overtaken = 0;
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      const double start = start_of_send(rank);
      if constexpr (ports) out_[rank] = start + cost.gap;
      cpu_[rank] = start + cost.send;
      overtaken |= receive_one<checks>(rank, from[rank], cost, start);
    }
    return overtaken == 0;
  }

  template <bool checks>
  void send(const Round& round) {
    if (checks) start_.resize(cpu_.size());
    for (std::size_t rank = 0; rank < cpu_.size(); ++rank) {
      if (round.to[rank] >= 0) send_one<checks>(rank, cost_of(round, rank));
    }
  }

  // False where one overtakes.
  template <bool checks>
  bool receive(const Round& round) {
    const Rank* from = round.from.data();
    int overtaken = 0;
    for (std::size_t rank = 0; rank < cpu_.size(); ++rank) {
      if (from[rank] < 0) continue;
      const MessageCost& cost = cost_of(round, static_cast<std::size_t>(from[rank]));
      if (checks && round.to[rank] >= 0) {
        overtaken |= receive_one<true>(rank, from[rank], cost, start_[rank]);
      } else {
        receive_one<false>(rank, from[rank], cost, 0);
      }
    }
    return overtaken == 0;
  }

  [[nodiscard]] double start_of_send(std::size_t rank) const {
    return ports ? std::max(cpu_[rank], out_[rank]) : cpu_[rank];
  }

  template <bool checks>
  void send_one(std::size_t rank, const MessageCost& cost) {
    const double start = start_of_send(rank);
    if constexpr (ports) out_[rank] = start + cost.gap;
    cpu_[rank] = start + cost.send;
    arrival_[rank] = cpu_[rank] + cost.wire;
    if constexpr (checks) start_[rank] = start;
  }

  // Whether it overtakes the send that started at `send`: that was ready by then.
  template <bool checks>
  int receive_one(std::size_t rank, Rank from, const MessageCost& cost, double send) {
    const double arrived = arrival_[static_cast<std::size_t>(from)];
    const double ready = std::max(cpu_[rank], arrived);
    const double start = ports ? std::max(ready, in_[rank]) : ready;
    if constexpr (ports) in_[rank] = start + cost.gap;
    cpu_[rank] = start + cost.recv;
    return checks ? static_cast<int>(arrived <= send) : 0;
  }

  const Costs& costs_;
  std::vector<double> cpu_;       // when each rank's CPU is free
  std::vector<double> out_, in_;  // and its ports
  LargeVector<double> arrival_;   // of what each rank sent this round
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
  const Places& places = places_.of(schedule);
  if (!places.fit || places.rounds * ranks_ > kMostPeers) return false;
  while (rounds_.size() < places.rounds) rounds_.emplace_back(ranks_, rounds_.size());
  for (const std::uint32_t number : places.overtaking) rounds_[number].may_overtake = true;
  const std::size_t me = added_++;
  events_ += static_cast<std::int64_t>(schedule.steps.size());
  const Place* place = places.steps.data();
  for (const Step& step : schedule.steps) {
    Round& round = rounds_[place->round];
    if (step.kind == StepKind::send) {
      round.to.set(me, step.peer);
      round.sends.set(me, costs.message(schedule.rank, step.peer, step.from.span.count), ranks_);
      ++messages_;
    } else if (step.kind == StepKind::recv) {
      round.from.set(me, step.peer);
    } else {
      auto& works = place->after_send ? round.more_works : round.works;
      while (works.size() <= place->number) works.emplace_back();
      works[place->number].set(me, costs.work(step.kind, step.from.span.count), ranks_);
    }
    ++place;
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
