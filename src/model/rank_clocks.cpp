#include "model/rank_clocks.hpp"

#include <algorithm>
#include <numeric>

namespace stretto::model {

RankClocks::RankClocks(const std::vector<Scenario>& scenarios,
                       const std::vector<std::vector<Rank>>& places, Rank me)
    : scenarios_(scenarios),
      places_(places),
      me_(static_cast<std::size_t>(me)),
      now_(scenarios.size()),
      port_out_(scenarios.size()),
      port_in_(scenarios.size()),
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
  return cost;
}

void RankClocks::send(Rank to, std::int64_t bytes, std::span<double> arrivals) {
  for (std::size_t i = 0; i < now_.size(); ++i) {
    const MessageCost message = cost(i, to, bytes, scenarios_[i].point_to_point);
    const double start = std::max(now_[i], port_out_[i]);
    now_[i] = start + message.send;
    port_out_[i] = start + message.gap;
    arrivals[i] = now_[i] + message.wire;
  }
}

const std::vector<std::size_t>& RankClocks::in_order(std::span<const Arrived> messages,
                                                     std::size_t scenario) {
  order_.resize(messages.size());
  std::iota(order_.begin(), order_.end(), std::size_t{0});
  // Takes memory even for one.
  if (messages.size() > 1)
    std::stable_sort(order_.begin(), order_.end(), [&](std::size_t a, std::size_t b) {
      return messages[a].times[scenario] < messages[b].times[scenario];
    });
  return order_;
}

void RankClocks::receive(std::span<const Arrived> messages) {
  for (std::size_t i = 0; i < now_.size(); ++i) {
    for (const std::size_t each : in_order(messages, i)) {
      const Arrived& message = messages[each];
      const MessageCost paid = cost(i, message.from, message.bytes, scenarios_[i].point_to_point);
      const double arrival = message.times[i];
      // One that came before the last one received has passed the port long ago.
      const bool is_next = arrival >= last_arrival_[i];
      const double start = std::max({now_[i], arrival, is_next ? port_in_[i] : 0});
      now_[i] = start + paid.recv;
      if (!is_next) continue;
      port_in_[i] = start + paid.gap;
      last_arrival_[i] = arrival;
    }
  }
}

void RankClocks::wait_until(std::span<const double> ends) {
  for (std::size_t i = 0; i < now_.size(); ++i) now_[i] = std::max(now_[i], ends[i]);
}

void RankClocks::complete(std::span<const double> free, std::span<const double> ends) {
  for (std::size_t i = 0; i < now_.size(); ++i) {
    const double paid = std::max(now_[i], free[i]) + (ends[i] - free[i]);
    now_[i] = scenarios_[i].overlap ? std::max(now_[i], ends[i]) : paid;
  }
}

Exchange RankClocks::exchange(Collective collective, bool nonblocking) const {
  return {.collective = collective,
          .nonblocking = nonblocking,
          .begun = now_,
          .sent = now_,
          .port = std::vector<double>(now_.size())};
}

void RankClocks::send(Exchange& exchange, Rank to, std::int64_t bytes, std::span<double> arrivals) {
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
      const double start = std::max(clock, exchange.port[i]);
      clock = start + message.send;
      exchange.port[i] = start + message.gap;
      arrivals[i] = clock + message.wire;
    }
    if (!goes_on(exchange, i)) now_[i] = clock;
  }
}

RankClocks::Waited RankClocks::finish(const Exchange& exchange, std::span<const Arrived> messages) {
  const double paid = goes_on(exchange, 0) ? 0 : exchange.sent[0] - exchange.begun[0];
  Waited waited{.before = now_[0] - paid, .free = exchange.begun[0]};
  for (const Arrived& each : messages) waited.free = std::max(waited.free, each.begun);
  for (std::size_t i = 0; i < now_.size(); ++i) {
    double clock = goes_on(exchange, i) ? exchange.sent[i] : now_[i];
    double port = 0;
    for (const std::size_t each : in_order(messages, i)) {
      const Arrived& message = messages[each];
      const double factor = scenarios_[i].factor(exchange.collective, message.bytes);
      const MessageCost received = cost(i, message.from, message.bytes, factor);
      const double start = std::max({clock, message.times[i], port});
      clock = start + received.recv;
      port = start + received.gap;
    }
    now_[i] = std::max(now_[i], clock);
  }
  return waited;
}

}  // namespace stretto::model
