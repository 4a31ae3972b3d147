#include "collectives/network.hpp"

#include <algorithm>

namespace stretto {

Network::Network(const Machine& machine)
    : machine_(&machine),
      copy_(machine.copy),
      copy_per_byte_(machine.copy_per_byte),
      reduce_(machine.reduce),
      reduce_per_byte_(machine.reduce_per_byte) {
  const auto host = std::ranges::find(machine.levels, kHostLevel, &Level::name);
  host_level_ = static_cast<std::size_t>(host - machine.levels.begin());
}

Network::Network(const Machine& machine, int ranks, int hosts) : Network(machine) {
  const bool has_hosts = host_level_ < machine.levels.size();
  const int together = has_hosts ? machine.levels[host_level_].ranks : 1;
  ranks_on_host_ = together == 0 ? ranks : std::min(together, ranks);
  hosts_ = hosts > 0 ? hosts : (ranks + ranks_on_host_ - 1) / ranks_on_host_;
  add_tiers(0, machine.levels.size(), ranks, 1);
}

Network Network::on_host() const {
  Network part(*machine_);
  part.ranks_on_host_ = ranks_on_host_;
  if (host_level_ < machine_->levels.size()) {
    part.add_tiers(0, host_level_ + 1, ranks_on_host_, 1);
  } else {
    part.add_tiers(0, 1, 1, 1);
  }
  return part;
}

Network Network::between_hosts() const {
  Network part(*machine_);
  part.hosts_ = hosts_;
  const std::size_t levels = machine_->levels.size();
  const bool has_others = host_level_ + 1 < levels;
  const std::size_t first = has_others ? host_level_ + 1 : (host_level_ < levels ? host_level_ : 0);
  part.add_tiers(first, levels, hosts_,
                 has_others ? std::max(machine_->levels[host_level_].ranks, 1) : 1);
  return part;
}

void Network::add_tiers(std::size_t first, std::size_t end, int ranks, int together_below) {
  int below = 1;
  double load = 0;
  for (std::size_t i = first; i < end; ++i) {
    const Level& level = machine_->levels[i];
    const int together = level.ranks == 0 ? ranks : std::min(level.ranks / together_below, ranks);
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

int levels_of(int ranks, int radix) {
  int levels = 0;
  for (Count reached = 1; reached < ranks; reached *= radix) ++levels;
  return levels;
}

}  // namespace stretto
