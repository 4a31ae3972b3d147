#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

#include "model/rounds.hpp"
#include "model/rounds_async.hpp"
#include "model/turns.hpp"

namespace stretto::model {
namespace {

using Works = std::vector<RankCosts>;

void work(const RankCosts& round, const std::vector<double>& works, Stretch ranks,
          LargeVector<double>& cpu) {
  if (round.is_uniform(cpu.size())) {
    const double cost = works[round.of(0)];
    for (std::size_t rank = ranks.first; rank < ranks.end; ++rank) cpu[rank] += cost;
    return;
  }
  for (std::size_t rank = ranks.first; rank < ranks.end; ++rank) cpu[rank] += works[round.of(rank)];
}

// By value: what std::max refers to is no vector's.
double later(double a, double b) { return a < b ? b : a; }

// One run. Its loops over all ranks are written for a compiler that makes vectors of them, so
// what most of them can do without is a parameter: `ports`, where a rank's port may be busy when
// its CPU is not.
template <bool ports>
class RoundsRun {
 public:
  // `turns`: nullptr where no message waits for others on its way.
  RoundsRun(const Costs& costs, const std::vector<double>& arrivals, Clocks& clocks, Turns* turns)
      : costs_(costs), clocks_(clocks), turns_(turns) {
    cpu_.assign(arrivals.begin(), arrivals.end());
    next_cpu_.resize(arrivals.size());
    for (auto* port : {&out_, &next_out_, &in_}) port->assign(ports ? arrivals.size() : 0, 0.0);
  }

  void begin(const Works& works) { work_all(works, all()); }

  // The works before its send are done, and `next` are those of the round after it. False where a
  // receive overtakes, or a message one of another round.
  [[nodiscard]] bool exchange(const Round& round, const Works& next) {
    const bool is_alike = round.sends.is_uniform(cpu_.size()) && round.more_works.empty();
    if (is_alike && (turns_ == nullptr || !turns_->may_wait(cost_of(round, 0)))) {
      return exchange_all(round, next);
    }
    if (!round.to.empty() && !send(round)) return false;
    work_all(round.more_works, all());
    const bool in_order = round.from.empty() || receive(round);
    work_all(next, all());
    return in_order;
  }

 private:
  [[nodiscard]] Stretch all() const { return {0, cpu_.size()}; }

  [[nodiscard]] const Costs::Message& cost_of(const Round& round, std::size_t sender) const {
    return costs_.messages()[round.sends.of(sender)];
  }

  void work_all(const Works& list, Stretch ranks) {
    for (const RankCosts& each : list) work(each, costs_.works(), ranks, cpu_);
  }

  // Every rank sends and receives, at one cost. When a message arrives is worked out at its
  // receiver, from its sender's clocks: so those of this round and the next are apart, and each is
  // written once.
  bool exchange_all(const Round& round, const Works& next) {
    const MessageCost cost = cost_of(round, 0);
    constexpr std::size_t kTogether = 1024;  // whose clocks stay in the nearest cache
    bool overtaken = false;
    for (std::size_t first = 0; first < cpu_.size(); first += kTogether) {
      const Stretch some{first, std::min(first + kTogether, cpu_.size())};
      round.from.visit(some, [&](Stretch ranks, auto peer_of) {
        overtaken |= exchange_some(ranks, peer_of, cost, cpu_.data(), out_.data(), in_.data(),
                                   next_cpu_.data(), next_out_.data());
      });
      for (const RankCosts& each : next) work(each, costs_.works(), some, next_cpu_);
    }
    cpu_.swap(next_cpu_);
    out_.swap(next_out_);
    return !(overtaken && round.may_overtake);
  }

  // Whether a message is there when its receiver's own send begins. Parameters, so that the
  // compiler knows that no two of the arrays overlap.
  template <class PeerOf>
  [[gnu::noinline]] static bool exchange_some(Stretch ranks, PeerOf from, const MessageCost cost,
                                              const double* __restrict cpu,
                                              const double* __restrict out, double* __restrict in,
                                              double* __restrict next_cpu,
                                              double* __restrict next_out) {
    std::uint64_t in_time = ~std::uint64_t{0};
    for (std::size_t rank = ranks.first; rank < ranks.end; ++rank) {
      const std::size_t peer = from(rank);
      const double start = ports ? later(cpu[rank], out[rank]) : cpu[rank];
      const double peers = ports ? later(cpu[peer], out[peer]) : cpu[peer];
      const double arrived = peers + cost.send + cost.wire;
      // The sign bit: comparisons themselves make no vectors on every x86-64.
      in_time &= std::bit_cast<std::uint64_t>(start - arrived);
      const double seen = later(start + cost.send, arrived);
      const double received = ports ? later(seen, in[rank]) : seen;
      if constexpr (ports) {
        next_out[rank] = start + cost.gap;
        in[rank] = received + cost.gap;
      }
      next_cpu[rank] = received + cost.recv;
    }
    return in_time >> 63 == 0;
  }

  [[nodiscard]] double start_of_send(std::size_t rank) const {
    return ports ? later(cpu_[rank], out_[rank]) : cpu_[rank];
  }

  double after_receive(std::size_t rank, double ready, const MessageCost& cost) {
    const double start = ports ? later(ready, in_[rank]) : ready;
    if constexpr (ports) in_[rank] = start + cost.gap;
    return start + cost.recv;
  }

  // False where links are not passed in order.
  [[nodiscard]] bool send(const Round& round) {
    const bool keeps_starts = round.may_overtake || turns_ != nullptr;
    arrival_.resize(cpu_.size());
    start_.resize(keeps_starts ? cpu_.size() : 0);
    const Rank* to = round.to.listed(list_);
    for (std::size_t rank = 0; rank < cpu_.size(); ++rank) {
      if (to[rank] < 0) continue;
      const MessageCost& cost = cost_of(round, rank);
      const double start = start_of_send(rank);
      if constexpr (ports) out_[rank] = start + cost.gap;
      cpu_[rank] = start + cost.send;
      arrival_[rank] = cpu_[rank] + cost.wire;
      if (keeps_starts) start_[rank] = start;
    }
    if (turns_ == nullptr) return true;
    const Sends sends{to, start_.data(), cpu_.data(), arrival_.data()};
    return turns_->pass(sends, round.from.listed(from_list_),
                        [&](std::size_t sender) -> const auto& { return cost_of(round, sender); });
  }

  // False where one overtakes the send before it, which was ready when it began.
  bool receive(const Round& round) {
    const Rank* from = round.from.listed(list_);
    bool overtaken = false;
    for (std::size_t rank = 0; rank < cpu_.size(); ++rank) {
      if (from[rank] < 0) continue;
      const auto sender = static_cast<std::size_t>(from[rank]);
      const double arrived = arrival_[sender];
      if (round.may_overtake && round.to[rank] >= 0) overtaken |= arrived <= start_[rank];
      cpu_[rank] = after_receive(rank, later(cpu_[rank], arrived), cost_of(round, sender));
    }
    return !overtaken;
  }

  const Costs& costs_;
  Clocks& clocks_;
  Turns* turns_;
  LargeVector<double>&cpu_ = clocks_.cpu, &next_cpu_ = clocks_.next_cpu;
  LargeVector<double>&out_ = clocks_.out, &next_out_ = clocks_.next_out;
  LargeVector<double>& in_ = clocks_.in;
  LargeVector<double>&arrival_ = clocks_.arrival, &start_ = clocks_.start;
  LargeVector<Rank>&list_ = clocks_.list, &from_list_ = clocks_.from_list;
};

template <bool ports>
bool run_all(const std::vector<Round>& rounds, const Costs& costs,
             const std::vector<double>& arrivals, Clocks& clocks, Turns* turns) {
  RoundsRun<ports> run(costs, arrivals, clocks, turns);
  if (!rounds.empty()) run.begin(rounds.front().works);
  const Works none;
  for (std::size_t i = 0; i < rounds.size(); ++i) {
    if (!run.exchange(rounds[i], i + 1 < rounds.size() ? rounds[i + 1].works : none)) return false;
  }
  return true;
}

// The least that any of these costs adds to a rank's clock.
double least_of(const Costs& costs) {
  double least = std::numeric_limits<double>::infinity();
  std::for_each(costs.messages().begin() + 1, costs.messages().end(),
                [&](const MessageCost& cost) { least = std::min({least, cost.send, cost.recv}); });
  std::for_each(costs.works().begin() + 1, costs.works().end(),
                [&](double cost) { least = std::min(least, cost); });
  return least;
}

}  // namespace

std::optional<Outcome> Rounds::run(const Costs& costs, const Machine& machine,
                                   const std::vector<double>& arrivals) const {
  Clocks clocks;
  if (!run(costs, machine, arrivals, clocks)) return {};
  return Outcome{.ends = std::move(clocks.cpu), .messages = messages_, .events = events_};
}

bool Rounds::run(const Costs& costs, const Machine& machine, const std::vector<double>& arrivals,
                 Clocks& clocks) const {
  if (!machine.has_contention(static_cast<int>(ranks_))) {
    return run_in_step(costs, arrivals, clocks, nullptr);
  }
  // Whose message is first of those that are sent at one time is clear only where everything takes
  // time: what takes none happens at the same time, but later.
  const double least = least_of(costs);
  if (least == 0) return false;
  const SharedLinks links(machine, static_cast<int>(ranks_));
  Turns turns(links, ranks_);
  if (!run_in_step(costs, arrivals, clocks, &turns) &&
      !run_async(rounds_, costs, links, arrivals, clocks)) {
    return false;
  }
  const double end = *std::max_element(clocks.cpu.begin(), clocks.cpu.end());
  return end + least > end;
}

bool Rounds::run_in_step(const Costs& costs, const std::vector<double>& arrivals, Clocks& clocks,
                         Turns* turns) const {
  const auto& messages = costs.messages();
  const bool ports = std::any_of(messages.begin(), messages.end(), [](const MessageCost& cost) {
    return cost.gap > std::min(cost.send, cost.recv);
  });
  return ports ? run_all<true>(rounds_, costs, arrivals, clocks, turns)
               : run_all<false>(rounds_, costs, arrivals, clocks, turns);
}

}  // namespace stretto::model
