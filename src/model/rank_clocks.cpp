#include "model/rank_clocks.hpp"

#include <algorithm>
#include <utility>

namespace stretto::model {

RankClocks::RankClocks(const std::vector<Scenario>& scenarios,
                       const std::vector<std::vector<Rank>>& places, Rank me)
    : scenarios_(scenarios),
      places_(places),
      me_(static_cast<std::size_t>(me)),
      now_(scenarios.size()),
      out_(scenarios.size()),
      in_(scenarios.size()),
      last_arrival_(scenarios.size()) {}

void RankClocks::compute(double ns) {
  for (std::size_t i = 0; i < now_.size(); ++i) now_[i] += ns * scenarios_[i].computing;
}

void RankClocks::pass(double ns) {
  for (double& now : now_) now += ns;
}

MessageCost RankClocks::cost(std::size_t scenario, Rank other, std::int64_t bytes,
                             double factor) const {
  const Scenario& rules = scenarios_[scenario];
  if (factor == 0) return {};
  const auto& places = places_[scenario];
  const std::size_t level =
      rules.machine.level_between(places[me_], places[static_cast<std::size_t>(other)]);
  MessageCost cost = message_cost(rules.machine.levels[level], bytes);
  cost.send *= factor;
  cost.recv *= factor;
  cost.gap *= factor;
  cost.wire *= factor;
  cost.answered *= factor;
  return cost;
}

void RankClocks::send(Rank to, std::int64_t bytes, std::span<double> arrivals) {
  for (std::size_t i = 0; i < now_.size(); ++i) {
    const MessageCost message = cost(i, to, bytes, scenarios_[i].point_to_point);
    now_[i] = out_[i].pass(now_[i], message.gap) + message.send;
    arrivals[i] = now_[i] + message.wire;
  }
}

const std::vector<RankClocks::Coming>& RankClocks::in_order(std::span<const Arrived> messages,
                                                            std::size_t scenario,
                                                            double waits_since,
                                                            std::optional<Collective> collective) {
  const Scenario& rules = scenarios_[scenario];
  coming_.clear();
  coming_.reserve(messages.size());
  for (const Arrived& each : messages) {
    const double factor = collective ? rules.factor(*collective, each.bytes) : rules.point_to_point;
    Coming coming{.arrival = each.times[scenario],
                  .cost = cost(scenario, each.from, each.bytes, factor)};
    coming.there = coming.arrival;
    if (coming.cost.answered > 0) {
      coming.there = std::max(coming.arrival, waits_since) + coming.cost.answered;
    }
    coming_.push_back(coming);
  }
  // What came before the receiver waits stays in the order of arrival: by when it is there the
  // shortest answer would put all that are answered behind all others, and what comes last lets
  // nobody wait for its gap. Sorting takes memory even for one.
  if (coming_.size() > 1)
    std::ranges::stable_sort(coming_, {}, [waits_since](const Coming& message) {
      const bool is_early = message.arrival <= waits_since;
      return std::pair{is_early ? waits_since : message.there, message.arrival};
    });
  return coming_;
}

void RankClocks::keep_little() {
  // Not `= {}`, which keeps what the vector has.
  if (coming_.capacity() > kKept) coming_ = std::vector<Coming>();
}

void RankClocks::receive(std::span<const Arrived> messages) {
  for (std::size_t i = 0; i < now_.size(); ++i) {
    const double last = last_arrival_[i];
    for (const Coming& message : in_order(messages, i, now_[i], {})) {
      const double ready = std::max(now_[i], message.there);
      // One that came before the last one of an earlier call has passed the port long ago. Those of
      // this call pass one after the other, though answers let them come in another order.
      if (message.arrival < last) {
        now_[i] = ready + message.cost.recv;
        continue;
      }
      now_[i] = in_[i].pass(ready, message.cost.gap) + message.cost.recv;
      last_arrival_[i] = std::max(last_arrival_[i], message.arrival);
    }
  }
  keep_little();
}

void RankClocks::wait_until(std::span<const double> ends) {
  for (std::size_t i = 0; i < now_.size(); ++i) now_[i] = std::max(now_[i], ends[i]);
}

Waited RankClocks::finish(Waiting waiting, std::span<const double> free,
                          std::span<const double> ends) {
  Waited waited{.before = now_[0], .free = free[0]};
  if (waiting == Waiting::nonblocking) {
    for (std::size_t i = 0; i < now_.size(); ++i) {
      const double paid = std::max(now_[i], free[i]) + (ends[i] - free[i]);
      now_[i] = scenarios_[i].overlap ? std::max(now_[i], ends[i]) : paid;
    }
  } else {
    wait_until(waiting == Waiting::meeting ? free : ends);
  }
  waited.after = now_[0];
  return waited;
}

NeighborExchange RankClocks::exchange(Collective collective, bool nonblocking) const {
  return {.collective = collective,
          .nonblocking = nonblocking,
          .begun = now_,
          .sent = now_,
          .out = std::vector<Port>(now_.size())};
}

void RankClocks::send(NeighborExchange& exchange, Rank to, std::int64_t bytes,
                      std::span<double> arrivals) {
  for (std::size_t i = 0; i < now_.size(); ++i) {
    const double factor = scenarios_[i].factor(exchange.collective, bytes);
    double& clock = exchange.sent[i];
    if (static_cast<std::size_t>(to) == me_) {
      const Machine& machine = scenarios_[i].machine;
      const double copy = machine.copy + static_cast<double>(bytes) * machine.copy_per_byte;
      if (bytes > 0) clock += factor * copy;
      arrivals[i] = clock;
    } else {
      const MessageCost message = cost(i, to, bytes, factor);
      clock = exchange.out[i].pass(clock, message.gap) + message.send;
      arrivals[i] = clock + message.wire;
    }
    if (!goes_on(exchange, i)) now_[i] = clock;
  }
}

Waited RankClocks::finish(const NeighborExchange& exchange, std::span<const Arrived> messages) {
  const double paid = goes_on(exchange, 0) ? 0 : exchange.sent[0] - exchange.begun[0];
  Waited waited{.before = now_[0] - paid, .free = exchange.begun[0]};
  for (const Arrived& each : messages) waited.free = std::max(waited.free, each.begun);
  for (std::size_t i = 0; i < now_.size(); ++i) {
    double clock = goes_on(exchange, i) ? exchange.sent[i] : now_[i];
    Port in;
    for (const Coming& message : in_order(messages, i, clock, exchange.collective)) {
      clock = in.pass(std::max(clock, message.there), message.cost.gap) + message.cost.recv;
    }
    now_[i] = std::max(now_[i], clock);
  }
  keep_little();
  waited.after = now_[0];
  return waited;
}

}  // namespace stretto::model
