// Whose message is first on a link, where all messages of a round are sent together.
//
// Links take messages in the order in which their sends take place (see SharedLinks), of ranks
// that begin at one time the lower first. Those of a round may be taken together as long as none
// of them begins before one of an earlier round that passed there.
#pragma once

#include <vector>

#include "model/contention.hpp"

namespace stretto::model {

// The k-th rank's message of a round: by rank, of those that send one.
struct Sends {
  const Rank* to;        // -1: none
  const double* starts;  // when its send takes place
  const double* ends;    // and is over: the message is on its way
  double* arrivals;      // when it can be received
};

class Turns {
 public:
  Turns(SharedLinks links, std::size_t ranks);

  [[nodiscard]] bool may_wait(const Costs::Message& cost) const { return links_.may_wait(cost); }

  // Fills in the arrivals of messages that may have to wait for others. `from`: from whom each rank
  // receives, -1: from nobody; `cost_of` a sender's message. False where links are not passed in
  // order.
  template <class CostOf>
  [[nodiscard]] bool pass(const Sends& sends, const Rank* from, const CostOf& cost_of);

 private:
  struct Turn {
    double start;
    Rank sender;
    Rank other;  // whose links are passed: the sender, or the receiver

    friend bool operator<(const Turn& a, const Turn& b) {
      return a.start < b.start || (a.start == b.start && a.sender < b.sender);
    }
  };
  // Of each domain (see SharedLinks), who passed last.
  using Last = std::vector<Turn>;

  [[nodiscard]] Rank at(std::size_t i) const {
    return by_domain_.empty() ? static_cast<Rank>(i) : by_domain_[i];
  }
  // Visits `waiting_`, all of one domain, in order; false where one comes too late.
  template <class Visit>
  [[nodiscard]] bool take(Turn& last, const Visit& visit);
  // The same for all domains: of those ranks for which `turn_of` gives one.
  template <class TurnOf, class Visit>
  [[nodiscard]] bool take_all(Last& last, const TurnOf& turn_of, const Visit& visit);

  SharedLinks links_;
  std::size_t ranks_;
  std::vector<Rank> by_domain_;  // empty: they are in this order anyway
  std::vector<Turn> waiting_;
  Last last_out_;
  Last last_in_;
};

template <class Visit>
bool Turns::take(Turn& last, const Visit& visit) {
  if (waiting_.empty()) return true;
  if (!std::is_sorted(waiting_.begin(), waiting_.end())) {
    std::sort(waiting_.begin(), waiting_.end());
  }
  if (waiting_.front() < last) return false;
  last = waiting_.back();
  for (const Turn& turn : waiting_) visit(turn);
  waiting_.clear();
  return true;
}

template <class TurnOf, class Visit>
bool Turns::take_all(Last& last, const TurnOf& turn_of, const Visit& visit) {
  waiting_.clear();
  for (std::size_t i = 0, domain = links_.domain_of(at(0)); i < ranks_; ++i) {
    const Rank rank = at(i);
    const std::size_t next = links_.domain_of(rank);
    if (next != domain && !take(last[domain], visit)) return false;
    domain = next;
    turn_of(static_cast<std::size_t>(rank));
    if (i + 1 == ranks_ && !take(last[domain], visit)) return false;
  }
  return true;
}

template <class CostOf>
bool Turns::pass(const Sends& sends, const Rank* from, const CostOf& cost_of) {
  const auto cost = [&](Rank sender) -> const Costs::Message& {
    return cost_of(static_cast<std::size_t>(sender));
  };
  const auto outgoing = [&](std::size_t rank) {
    const auto sender = static_cast<Rank>(rank);
    if (sends.to[rank] < 0 || !links_.may_wait(cost(sender))) return;
    waiting_.push_back({sends.starts[rank], sender, sender});
  };
  const auto leave = [&](const Turn& turn) {
    const auto at = static_cast<std::size_t>(turn.sender);
    sends.arrivals[at] = links_.leave(turn.sender, cost(turn.sender), sends.ends[at]);
  };
  if (!take_all(last_out_, outgoing, leave)) return false;
  const auto incoming = [&](std::size_t rank) {
    const Rank sender = from[rank];
    if (sender < 0 || !links_.may_wait(cost(sender))) return;
    waiting_.push_back(
        {sends.starts[static_cast<std::size_t>(sender)], sender, static_cast<Rank>(rank)});
  };
  const auto enter = [&](const Turn& turn) {
    double& arrival = sends.arrivals[static_cast<std::size_t>(turn.sender)];
    arrival = links_.enter(turn.other, cost(turn.sender), arrival);
  };
  return take_all(last_in_, incoming, enter);
}

}  // namespace stretto::model
