#include "collectives/network.hpp"

#include <algorithm>
#include <bit>

namespace stretto {

Network::Network(const Machine& machine, int ranks)
    : copy_(machine.copy),
      copy_per_byte_(machine.copy_per_byte),
      reduce_(machine.reduce),
      reduce_per_byte_(machine.reduce_per_byte) {
  int below = 1;
  double load = 0;
  for (const Level& level : machine.levels) {
    const int together = level.ranks == 0 ? ranks : std::min(level.ranks, ranks);
    load = std::max(load, level.link_per_byte * (below - 1));
    const bool is_empty = together <= below && together < ranks;
    if (is_empty) continue;
    // Of more levels than there are places the last one is in the last place.
    used_ = std::min(used_ + 1, tiers_.size());
    tiers_[used_ - 1] = {.ranks = together, .level = &level, .load_per_byte = load};
    if (together >= ranks) break;
    is_alone_ = is_alone_ || (together < ranks && ranks % together == 1);
    ragged_ = ragged_ || ranks % together != 0;
    below = together;
  }
  double most = 0;
  for (std::size_t i = 0; i + 1 < used_; ++i) {
    const double more = cost(tiers_[i + 1], 0).wire - cost(tiers_[i], 0).wire;
    if (more > most) {
      most = more;
      host_ = i;
    }
  }
}

const Network::Tier& Network::tier(int distance) const {
  std::size_t i = 0;
  while (i + 1 < used_ && distance >= tiers_[i].ranks) ++i;
  return tiers_[i];
}

int Network::branch(int distance, Count group) const {
  const int together = nearest().ranks;
  const bool crosses = used_ > 1 && distance < together && group > together;
  return crosses ? together : distance;
}

double Network::hop(int distance, Count bytes) const {
  const MessageCost each = cost(tier(distance), bytes);
  return each.send + each.wire + each.recv;
}

double Network::step(int distance, Count bytes) const {
  const MessageCost each = cost(tier(distance), bytes);
  return std::max(each.gap, each.send);
}

double Network::reduce(Count bytes) const {
  return bytes == 0 ? 0 : reduce_ + static_cast<double>(bytes) * reduce_per_byte_;
}

double Network::copy(Count bytes) const {
  return bytes == 0 ? 0 : copy_ + static_cast<double>(bytes) * copy_per_byte_;
}

double Network::line(int ranks, Count bytes, double work) const {
  double time = 0;
  int left = ranks - 1;  // hops that are no nearer than this tier
  for (std::size_t i = 0; i < used_; ++i) {
    const int farther = i + 1 == used_ ? 0 : (ranks - 1) / tiers_[i].ranks;
    const MessageCost each = cost(tiers_[i], bytes);
    time += (left - farther) * (each.send + each.wire + each.recv + work);
    left = farther;
  }
  return time;
}

double Network::period(Count bytes, double work, bool alone) const {
  const MessageCost near = cost(alone ? farthest() : nearest(), bytes);
  double longest = 0;
  for (std::size_t i = 0; i < used_; ++i) {
    const MessageCost far = cost(tiers_[i], bytes);
    longest = std::max({longest, far.gap, far.send + near.recv + work, near.send + far.recv + work,
                        static_cast<double>(bytes) * tiers_[i].level->link_per_byte});
  }
  return longest;
}

double Network::ring(int ranks, Count rounds, Count bytes, double work) const {
  // Once round is a hop more than the line.
  const double once = line(ranks, bytes, work) + hop(ranks - 1, bytes) + work;
  const double mean = once / ranks;
  const auto times = static_cast<double>(rounds);
  // What the lone rank passes on one after the other has come, and goes on, a long way.
  const double way = is_alone_ ? 2 * cost(farthest(), bytes).wire : 0;
  return std::max(times * mean, times * period(bytes, work, is_alone_) + way);
}

double Network::all_at_once(int ranks, Count bytes, double work) const {
  return std::max(all_at_once(ranks, bytes, work, false), all_at_once(ranks, bytes, work, true));
}

double Network::all_at_once(int ranks, Count bytes, double work, bool last_host) const {
  double out = 0;
  double in = 0;
  double link = 0;
  int reached = 1;
  for (std::size_t i = 0; i < used_; ++i) {
    const int together = std::min(tiers_[i].ranks, ranks);
    const int rest = ranks % together;
    const double peers = (rest == 0 || !last_host ? together : rest) - reached;
    if (peers <= 0) continue;
    reached += static_cast<int>(peers);
    const MessageCost each = cost(tiers_[i], bytes);
    out += peers * std::max(each.gap, each.send);
    in += peers * (std::max(each.gap, each.recv) + work);
    if (!last_host) link += peers * static_cast<double>(bytes) * tiers_[i].load_per_byte;
  }
  // Its own messages but the last pass the link between the others'.
  const double others = nearest().ranks - 1;
  if (others > 0) link *= (others + 1) / others;
  const MessageCost last = cost(farthest(), bytes);
  // A send keeps its processor until the port takes it, so that receives come after all of them.
  const double sent = out - std::max(last.gap, last.send) + last.send;
  const double received = in - std::max(last.gap, last.recv) + last.recv;
  return std::max({sent + received, sent + last.wire + last.recv + work,
                   link + last.send + last.wire + last.recv + work});
}

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

int levels_of(int ranks, int radix) {
  int levels = 0;
  for (Count reached = 1; reached < ranks; reached *= radix) ++levels;
  return levels;
}

}  // namespace stretto
