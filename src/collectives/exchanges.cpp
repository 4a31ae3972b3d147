#include "collectives/exchanges.hpp"

#include <algorithm>
#include <bit>

namespace stretto {

double Exchanges::exchange(Rank& rank, const MessageCost& cost, double link) {
  const double start = std::max(rank.cpu, rank.out);
  rank.out = start + cost.gap;
  const double sent = start + cost.send;
  const double leaves = std::max(sent, link);
  const double received = std::max({sent, leaves + cost.wire, rank.in});
  rank.in = received + cost.gap;
  rank.cpu = received + cost.recv;
  return leaves;
}

void Exchanges::across(int distance, Count bytes) {
  const int together = network_.host().ranks;
  if (number_of_ends_ > 0 && distance >= together_) {
    // Where ranks are folded away survivors are farther apart than their numbers.
    const Count apart = Count{distance} * together / together_;
    return all_far(network_.tier(static_cast<int>(apart)), together_, bytes);
  }
  if (number_of_ends_ > 1 && 2 * Count{distance} > together_) {
    return all_far(network_.tier(together), most_across(distance), bytes);
  }
  const double ready = std::max(first_.cpu, last_.cpu);
  all_near(distance, bytes);
  for (std::size_t i = 0; i < number_of_ends_; ++i) across_end(ends_[i], distance, bytes, ready);
}

void Exchanges::all_near(int distance, Count bytes) {
  const int near = number_of_ends_ == 0 ? distance : std::min(distance, network_.host().ranks - 1);
  all_exchange(network_.tier(near), network_.tier(near), bytes, 1);
}

void Exchanges::all_far(const Network::Tier& tier, int sent, Count bytes) {
  meet();
  all_exchange(tier, tier, bytes, network_.share_of_link(sent));
}

void Exchanges::turn() {
  crossed_ = false;
  turned_ = true;
  meet();
}

void Exchanges::to_first(int distance, Count bytes) {
  // The ranks that still have something are the first ones.
  const int left = 2 * distance;
  const int here = number_of_ends_ > 0 ? ends_[0].before : left;
  if (left <= here) {
    meet();
    return all_near(distance, bytes);
  }
  const int apart = std::max(distance, network_.host().ranks);
  all_far(network_.tier(apart), std::min(here, left - here), bytes);
}

int Exchanges::most_across(int distance) const {
  const int group = 2 * distance;
  int most = 0;
  int before = 0;
  for (std::size_t i = 0; i < number_of_ends_; ++i) {
    const int end = ends_[i].before % group;
    const int here = std::min(end, group - end);
    most = std::max(most, before + here);
    before = here;
  }
  return std::min(most, together_);
}

void Exchanges::across_end(HostEnd& end, int distance, Count bytes, double ready) {
  const int group = 2 * distance;
  const int left = end.before % group;
  if (left == 0) return;
  const Network::Tier& far = network_.tier(network_.host().ranks);
  const MessageCost cost = Network::cost(far, bytes);
  const double share = network_.share_of_link(std::min(left, group - left));
  end.queued = share * static_cast<double>(bytes) * far.load_per_byte;
  double hop = cost.send + end.queued + cost.wire + cost.recv;
  // Who is late by then is late with a long message in either direction. As simulated.
  if (turned_) hop += cost.wire - Network::cost(far, 0).wire;
  // Where few were folded away, those that are near to none of them were ready sooner.
  if (end.before - left >= pairs_) ready -= folded_;
  if (end.left == 0) {
    end.left = end.right = ready + hop;
    return;
  }
  // On one side of the end are fewer than half of the ranks that have to do with each other by now.
  // They are far from their peers, which may have been near to all so far.
  double& few = left < distance ? end.left : end.right;
  double& others = left < distance ? end.right : end.left;
  const double from_few = few + hop;
  const double near = network_.hop(std::min(distance, network_.host().ranks - 1), bytes);
  few = std::max(few + std::max(cost.gap, cost.send + cost.recv), ready + hop);
  others = std::max({others + near, ready + near, from_few});
}

void Exchanges::meet() {
  for (std::size_t i = 0; i < number_of_ends_; ++i) {
    HostEnd& end = ends_[i];
    const double latest = std::max(end.left, end.right);
    // What queued on a link did not hold up the first. Where one rank is alone hardly any are late.
    if (!network_.is_alone()) first_.cpu = std::max(first_.cpu, latest - end.queued);
    last_.cpu = std::max(last_.cpu, latest);
    end.left = end.right = 0;
  }
  folded_ = 0;
}

void Exchanges::all_exchange(const Network::Tier& tier, const Network::Tier& link, Count bytes,
                             double share) {
  const MessageCost cost = Network::cost(tier, bytes);
  const double load = share * static_cast<double>(bytes) * link.load_per_byte;
  link_ = exchange(last_, cost, exchange(first_, cost, link_) + load);
  // Who is near to each other waits for each other.
  if (&tier != &network_.farthest()) first_ = last_;
}

Exchanges::Exchanges(const Network& network, int ranks) : network_(network) {
  const int together = network.host().ranks;
  pairs_ = ranks - static_cast<int>(std::bit_floor(static_cast<unsigned>(ranks)));
  const int hosts = (ranks + together - 1) / together;
  const auto survivors_before = [&](int host) {
    // The first ranks are folded in pairs, of which the second one survives.
    const int end = host * together;
    return end - std::min((end + 1) / 2, pairs_);
  };
  for (int host = 1; host < hosts; ++host) {
    if (number_of_ends_ + 1 == ends_.size()) host = hosts - 1;
    ends_[number_of_ends_++].before = survivors_before(host);
  }
  // On the first host most are folded away, on the last full one fewest.
  if (hosts > 1) {
    together_ =
        std::max(survivors_before(1), survivors_before(hosts - 1) - survivors_before(hosts - 2));
  }
}

void Exchanges::onwards(int distance, Count bytes) {
  if (crossed_ && !network_.is_alone()) more_from_far(distance, bytes);
  onwards(distance, bytes, 1);
  if (network_.is_alone()) {
    far_from_all(bytes);
    way_ *= 2.5;  // its neighbours round the circle wait for it in turn, as simulated
  }
}

void Exchanges::upwards(int distance, Count bytes) {
  // Ranks that wait for nobody send right away what they have to send in later rounds, and what
  // near rounds, in which few do, sent over the host's end is as much again. As simulated on 2 to
  // 128 hosts.
  const int rounds_left = levels_of(network_.farthest().ranks) - levels_of(distance);
  const bool few = 2 * distance <= network_.nearest().ranks;
  onwards(distance, bytes, few ? 0 : (rounds_left > 3 ? 8.0 / 3 : 2));
}

void Exchanges::onwards(int distance, Count bytes, double queued) {
  const int together = network_.nearest().ranks;
  const double left = network_.farthest().ranks - distance;  // that are so far from the last
  // Of a host's ranks so many as the round goes far send to the next host, but where that is the
  // last of two no more than it has.
  const int next = std::min(network_.farthest().ranks - together, together);
  const int farther = std::min({distance, together, std::max(next, 1)});
  all_exchange(network_.tier(distance), network_.tier(std::max(distance, together)), bytes,
               queued * std::min<double>(left, farther) / together);
  // A host's last rank sends to the next host from the first round on. As simulated on 2 to 4
  // hosts, of which the last is not full.
  come_from_far(distance, bytes, network_.is_ragged() ? 1.3 : 1);
}

void Exchanges::come_from_far(int distance, Count bytes, double hops) {
  const Network::Tier& far = network_.farthest();
  if (crossed_ || &far == &network_.tier(distance)) return;
  crossed_ = true;
  const MessageCost cost = Network::cost(far, bytes);
  const double near = network_.hop(distance, bytes);
  const double delay = hops * std::max(0.0, cost.send + cost.wire + cost.recv - near);
  first_.cpu += delay;
  last_.cpu += delay;
}

// What comes from far in later near rounds lies ready by then, and is received one after the other.
void Exchanges::more_from_far(int distance, Count bytes) {
  const Network::Tier& far = network_.farthest();
  if (&far == &network_.tier(distance)) return;
  const MessageCost cost = Network::cost(far, bytes);
  const double more = std::max(0.0, std::max(cost.gap, cost.recv) - network_.hop(distance, bytes));
  first_.cpu += more;
  last_.cpu += more;
}

void Exchanges::far_from_all(Count bytes) {
  // While a message is on its way the others come closer: it waits for the way once.
  MessageCost cost = Network::cost(network_.farthest(), bytes);
  way_ = Network::cost(network_.farthest(), 0).wire;
  cost.wire = std::max(0.0, cost.wire - way_);
  exchange(lone_, cost, 0);
}

void Exchanges::work(double time) {
  first_.cpu += time;
  last_.cpu += time;
  lone_.cpu += time;
  for (HostEnd& end : ends_) {
    if (end.left == 0) continue;
    end.left += time;
    end.right += time;
  }
}

void Exchanges::fold(double time) {
  work(time);
  folded_ = time;
}

double Exchanges::end() const {
  double latest = std::max(last_.cpu, lone_.cpu + way_);
  for (const HostEnd& end : ends_) latest = std::max({latest, end.left, end.right});
  return latest;
}

}  // namespace stretto
