#include "model/rounds_async.hpp"

#include <algorithm>
#include <utility>

#include "model/event_queue.hpp"

namespace stretto::model {
namespace {

// Messages that came before their receivers got to their rounds.
class Early {
 public:
  explicit Early(std::size_t ranks) : first_(ranks, kNone) {}

  void add(std::size_t rank, std::uint32_t round, double arrival) {
    std::uint32_t slot = free_;
    if (slot == kNone) {
      slot = static_cast<std::uint32_t>(messages_.size());
      messages_.emplace_back();
    } else {
      free_ = messages_[slot].next;
    }
    messages_[slot] = {.arrival = arrival, .round = round, .next = first_[rank]};
    first_[rank] = slot;
  }
  // Of this round; false where there is none.
  [[nodiscard]] bool take(std::size_t rank, std::uint32_t round, double& arrival) {
    std::uint32_t* link = &first_[rank];
    while (*link != kNone && messages_[*link].round != round) link = &messages_[*link].next;
    if (*link == kNone) return false;
    const std::uint32_t slot = *link;
    arrival = messages_[slot].arrival;
    *link = std::exchange(messages_[slot].next, free_);
    free_ = slot;
    return true;
  }

 private:
  static constexpr auto kNone = static_cast<std::uint32_t>(-1);
  struct Message {
    double arrival = 0;
    std::uint32_t round = 0;
    std::uint32_t next = kNone;
  };

  std::vector<std::uint32_t> first_;  // by receiver
  std::vector<Message> messages_;
  std::uint32_t free_ = kNone;
};

class AsyncRun {
 public:
  AsyncRun(const std::vector<Round>& rounds, const Costs& costs, SharedLinks links,
           const std::vector<double>& arrivals, Clocks& clocks)
      : rounds_(rounds),
        costs_(costs),
        links_(std::move(links)),
        cpu_(clocks.cpu),
        out_(clocks.out),
        in_(clocks.in),
        start_(clocks.start),
        states_(arrivals.size()),
        early_(arrivals.size()) {
    cpu_.assign(arrivals.begin(), arrivals.end());
    for (auto* each : {&out_, &in_, &start_}) each->assign(arrivals.size(), 0.0);
  }

  [[nodiscard]] bool run() {
    for (std::size_t rank = 0; rank < cpu_.size(); ++rank) begin_round(rank);
    go_on();
    for (std::vector<Event> batch; !overtaken_ && queue_.pop_batch(batch);) {
      const auto before = [](const Event& a, const Event& b) { return a.rank < b.rank; };
      if (!std::is_sorted(batch.begin(), batch.end(), before)) {
        std::sort(batch.begin(), batch.end(), before);
      }
      for (const Event& event : batch) {
        send(static_cast<std::size_t>(event.rank));
        go_on();
      }
    }
    return !overtaken_;
  }

 private:
  struct State {
    std::uint32_t round = 0;
    bool waits = false;  // for its message of that round
  };

  void work(const std::vector<RankCosts>& works, std::size_t rank) {
    for (const RankCosts& each : works) cpu_[rank] += costs_.works()[each.of(rank)];
  }
  [[nodiscard]] const Costs::Message& cost_of(const Round& round, std::size_t sender) const {
    return costs_.messages()[round.sends.of(sender)];
  }

  // Until its send, which takes its turn in the order of time, or its receive.
  void begin_round(std::size_t rank) {
    const std::uint32_t number = states_[rank].round;
    if (number == rounds_.size()) return;
    const Round& round = rounds_[number];
    work(round.works, rank);
    if (round.to[rank] < 0) return end_round(rank);
    start_[rank] = std::max(cpu_[rank], out_[rank]);
    if (links_.may_wait(cost_of(round, rank))) {
      queue_.push(start_[rank], 0, static_cast<Rank>(rank));
    } else {
      send(rank);
    }
  }

  void send(std::size_t rank) {
    const std::uint32_t number = states_[rank].round;
    const Round& round = rounds_[number];
    const Costs::Message& cost = cost_of(round, rank);
    out_[rank] = start_[rank] + cost.gap;
    cpu_[rank] = start_[rank] + cost.send;
    const Rank to = round.to[rank];
    const double arrival = links_.may_wait(cost)
                               ? links_.arrival(static_cast<Rank>(rank), to, cost, cpu_[rank])
                               : FreeLinks::arrival(static_cast<Rank>(rank), to, cost, cpu_[rank]);
    const auto receiver = static_cast<std::size_t>(to);
    early_.add(receiver, number, arrival);
    const State& theirs = states_[receiver];
    if (theirs.waits && theirs.round == number) woken_.push_back(receiver);
    end_round(rank);
  }

  // From the send on; true where it is over.
  void end_round(std::size_t rank) {
    work(rounds_[states_[rank].round].more_works, rank);
    woken_.push_back(rank);
  }

  // Whoever may be able to receive does, until nobody is.
  void go_on() {
    while (!woken_.empty() && !overtaken_) {
      const std::size_t rank = woken_.back();
      woken_.pop_back();
      if (!receive(rank)) continue;
      ++states_[rank].round;
      begin_round(rank);
    }
  }

  // False where its message has not come.
  [[nodiscard]] bool receive(std::size_t rank) {
    State& state = states_[rank];
    const Round& round = rounds_[state.round];
    const Rank from = round.from[rank];
    if (from < 0) return true;
    double arrival = 0;
    state.waits = !early_.take(rank, state.round, arrival);
    if (state.waits) return false;
    overtaken_ =
        overtaken_ || (round.may_overtake && round.to[rank] >= 0 && arrival <= start_[rank]);
    const Costs::Message& cost = cost_of(round, static_cast<std::size_t>(from));
    const double start = std::max({cpu_[rank], arrival, in_[rank]});
    in_[rank] = start + cost.gap;
    cpu_[rank] = start + cost.recv;
    return true;
  }

  const std::vector<Round>& rounds_;
  const Costs& costs_;
  SharedLinks links_;
  LargeVector<double>&cpu_, &out_, &in_;
  LargeVector<double>& start_;  // of its send in its round
  std::vector<State> states_;
  Early early_;
  std::vector<std::size_t> woken_;
  EventQueue queue_;  // of ranks whose sends wait for their turns
  bool overtaken_ = false;
};

}  // namespace

bool run_async(const std::vector<Round>& rounds, const Costs& costs, SharedLinks links,
               const std::vector<double>& arrivals, Clocks& clocks) {
  return AsyncRun(rounds, costs, std::move(links), arrivals, clocks).run();
}

}  // namespace stretto::model
