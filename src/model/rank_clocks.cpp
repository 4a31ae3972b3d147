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

MessageCost RankClocks::cost(std::size_t scenario, Rank other, std::int64_t bytes) const {
  const Scenario& rules = scenarios_[scenario];
  if (rules.point_to_point == 0) return {};
  const auto& places = places_[scenario];
  const std::size_t level =
      rules.machine.level_between(places[me_], places[static_cast<std::size_t>(other)]);
  MessageCost cost = message_cost(rules.machine.levels[level], bytes);
  cost.send *= rules.point_to_point;
  cost.recv *= rules.point_to_point;
  cost.gap *= rules.point_to_point;
  cost.wire *= rules.point_to_point;
  return cost;
}

void RankClocks::send(Rank to, std::int64_t bytes, std::span<double> arrivals) {
  for (std::size_t i = 0; i < now_.size(); ++i) {
    const MessageCost message = cost(i, to, bytes);
    const double start = std::max(now_[i], port_out_[i]);
    now_[i] = start + message.send;
    port_out_[i] = start + message.gap;
    arrivals[i] = now_[i] + message.wire;
  }
}

void RankClocks::receive(std::span<const Arrived> messages) {
  order_.resize(messages.size());
  for (std::size_t i = 0; i < now_.size(); ++i) {
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    // Takes memory even for one.
    if (messages.size() > 1)
      std::stable_sort(order_.begin(), order_.end(), [&](std::size_t a, std::size_t b) {
        return messages[a].times[i] < messages[b].times[i];
      });
    for (const std::size_t each : order_) {
      const Arrived& message = messages[each];
      const MessageCost paid = cost(i, message.from, message.bytes);
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

}  // namespace stretto::model
