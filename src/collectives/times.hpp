// Times that algorithms have in common.
#pragma once

#include <algorithm>
#include <bit>
#include <numeric>

#include "collectives/exchanges.hpp"

namespace stretto {

[[nodiscard]] inline int survivors_of(int ranks) {
  return static_cast<int>(std::bit_floor(static_cast<unsigned>(ranks)));
}

// The longest of the nearly equal blocks that ranks share a vector out in.
[[nodiscard]] inline Count blocks_of(const Shape& shape) {
  return std::max<Count>((shape.count + shape.size - 1) / shape.size, 1);
}

// Blocks whose distance has the binary digit.
[[nodiscard]] inline Count with_digit(int ranks, int digit) {
  const int whole = ranks / (2 * digit) * digit;
  return whole + std::max(0, ranks % (2 * digit) - digit);
}

// What a rank in excess of a power of two sends its neighbour, or gets from it in the end.
inline void folded(Exchanges& rounds, const Network& network, Count bytes, double work) {
  rounds.fold(network.hop(1, bytes) + work);
}

// What it gets in the end. Who exchanged with a late rank is done last, and where few are late that
// takes the time in which a late rank, for which the others' messages lie ready, sends it back.
inline void given_back(Exchanges& rounds, const Network& network, int ranks, Count bytes) {
  const int survivors = survivors_of(ranks);
  if (ranks - survivors > survivors / 2) return folded(rounds, network, bytes, 0);
  const MessageCost each = Network::cost(network.nearest(), bytes);
  rounds.work(each.send + each.recv);
}

// Ranks in excess of a power of two hand their vector to a neighbour, then the survivors halve and
// add theirs round by round. Returns the bytes of the block that each has left.
inline Count reduced_by_halving(Exchanges& rounds, const Network& network, const Shape& shape) {
  const int survivors = survivors_of(shape.size);
  Count bytes = shape.count;
  if (survivors < shape.size) folded(rounds, network, bytes, network.reduce(bytes));
  for (int distance = 1; distance < survivors; distance *= 2) {
    bytes = (bytes + 1) / 2;
    rounds.across(distance, bytes);
    rounds.work(network.reduce(bytes));
  }
  return bytes;
}

// Two ranks, both of which send before they receive.
[[nodiscard]] inline double swap(const Network& network, int distance, Count bytes) {
  return std::max(network.hop(distance, bytes), network.step(distance, bytes));
}

// A tree's messages go up, to its root, or down.
enum class Way { up, down };

// At the root of a binomial tree whose last branch is one rank that is far and sends at once: the
// port is busy with it while near children wait, which are taken one after the other then.
[[nodiscard]] inline double early_from_far(const Network& network, int distance, Count fixed,
                                           Count per_rank, double work) {
  const MessageCost far = Network::cost(network.tier(distance), fixed + per_rank);
  const double arrives = far.send + far.wire;
  double port = 0;
  double end = 0;
  const auto receive = [&](double comes, const MessageCost& cost, double added) {
    const double start = std::max(port, comes);
    end = start + cost.recv + added;
    port = start + std::max(cost.gap, cost.recv + added);
  };
  double level = 0;
  bool is_received = false;
  for (int child = 1; child < distance; child *= 2) {
    const Count bytes = fixed + child * per_rank;
    const MessageCost near = Network::cost(network.nearest(), bytes);
    const double comes = level + near.send + near.wire;
    if (comes > arrives && !is_received) receive(arrives, far, 0);
    is_received = is_received || comes > arrives;
    receive(comes, near, work);
    level += swap(network, 1, bytes) + work;
  }
  if (!is_received) receive(arrives, far, 0);
  return end + work;
}

// A binomial tree; a message has `fixed` bytes, and `per_rank` for each rank in the subtree that it
// is for, or comes from, where there is so much work.
[[nodiscard]] inline double tree(const Network& network, int ranks, Way way, Count fixed,
                                 Count per_rank, double work) {
  double full = 0;   // of a subtree in which all are
  double last = 0;   // of the last one of its size, where some are missing
  double ports = 0;  // of all the messages at its root
  double longest = 0;
  for (Count distance = 1; distance < ranks; distance *= 2) {
    const int near = network.branch(static_cast<int>(distance), 2 * distance);
    const auto bytes = [&](Count below) { return fixed + below * per_rank; };
    const Count left = ranks % (2 * distance);
    if (left > distance) {
      const Count below = left - distance;
      const double step = network.step(near, bytes(below));
      // All but the longest come before that.
      const double taken =
          way == Way::up
              ? std::max(full, ports + step - std::max(longest, step) + network.hop(1, bytes(1)))
              : full + step;
      const double begun = below == distance ? full : last;
      last = work + std::max(taken, begun + swap(network, near, bytes(below)));
      const bool is_early =
          way == Way::up && below == 1 && distance == network.nearest().ranks && distance > 2;
      if (is_early) {
        last = std::max(last, early_from_far(network, near, fixed, per_rank, work));
      }
    } else if (left == distance) {
      last = full;
    }
    full += swap(network, near, bytes(distance)) + work;
    longest = std::max(longest, network.step(near, bytes(distance)));
    ports += network.step(near, bytes(distance));
  }
  return survivors_of(ranks) == ranks ? full : last;
}

// One message out and one in at a time, with each of the others.
[[nodiscard]] inline double pairwise(const Network& network, int ranks, Count bytes, double work) {
  const double far_round = swap(network, ranks - 1, bytes) + work;
  const double near_round = swap(network, 1, bytes) + work;
  const int together = network.nearest().ranks;
  const int rounds = ranks - 1;
  if (ranks <= together) return rounds * far_round;
  // What comes from far in the rounds among near ranks was sent long before, but by the ranks of a
  // host with fewer: they wait for it. As simulated on 2 to 16 hosts.
  const double short_of = ranks % together == 0 ? 0 : together - ranks % together;
  const int near = together - 1;
  const double waited = std::min<double>(rounds, rounds - near + 1 + 0.5 * short_of);
  // A rank at a host's end waits for the network in every round.
  const double link = static_cast<double>(bytes) * network.farthest().load_per_byte;
  const int inside = network.group().ranks - 1;
  return std::max(waited * far_round + (rounds - waited) * near_round,
                  inside * near_round + (rounds - inside) * (link + far_round / 4));
}

// In round k every rank passes a vector on to the rank 2^k ahead, and then adds the one it got.
[[nodiscard]] inline double doubling_upwards(const Network& network, const Shape& shape) {
  const double work = network.reduce(shape.count);
  if (network.is_alone() && shape.size == network.nearest().ranks + 1) {
    // Who is alone gets a message in every round: most at once, or as near ranks have it.
    const MessageCost far = Network::cost(network.farthest(), shape.count);
    const int levels = levels_of(shape.size);
    const double queued = (levels - 1) * std::max(far.gap, far.recv + work);
    const double waited = (levels - 2) * (swap(network, 1, shape.count) + work) + work;
    return network.copy(shape.count) + far.send + far.wire + far.recv + work +
           std::max(queued, waited);
  }
  Exchanges rounds(network);
  rounds.work(network.copy(shape.count));
  for (Count distance = 1; distance < shape.size; distance *= 2) {
    const auto ahead = static_cast<int>(distance);
    if (ahead > 1 && shape.size - ahead == 1) {
      // To the last rank only, and from the first, which waited for nobody.
      const double taken = Network::cost(network.tier(ahead), shape.count).recv;
      rounds.work(std::max(taken, network.step(ahead, shape.count)));
    } else {
      rounds.upwards(ahead, shape.count);
    }
    rounds.work(work);
  }
  return rounds.end();
}

// Of a rank of a k-nomial tree, from its first message to the children that are `unit` ranks apart
// until the last has come; those from the distance `far_from` on are on other hosts.
[[nodiscard]] inline double knomial_level(const Network& network, int radix, Count unit,
                                          Count bytes, Count far_from) {
  double sent = 0;
  double last = 0;
  for (Count child = radix - 1; child > 0; --child) {
    const Count on = child * unit;
    const Count apart = on < far_from ? on : std::max<Count>(on, network.nearest().ranks);
    const auto distance = static_cast<int>(apart);
    last = std::max(last, sent + network.hop(distance, bytes));
    sent += network.step(distance, bytes);
  }
  return std::max(last, sent);
}

// Down a k-nomial tree of so many ranks, whose root is the one numbered `first`.
[[nodiscard]] inline double knomial(const Network& network, Count first, int ranks, int radix,
                                    Count bytes) {
  if (ranks == 1) return 0;
  const Count together = network.nearest().ranks;
  const bool one_host = together == network.farthest().ranks;
  double below = 0;
  double crossing = 0;
  Count unit = 1;
  for (; unit * radix < ranks; unit *= radix) {
    const double level = knomial_level(network, radix, unit, bytes, unit * radix);
    below += level;
    // Of the branches shorter than a host some lie across hosts, hardly more than one on a path.
    const Count within = std::gcd(together, radix * unit);
    if (unit >= together || one_host || within == radix * unit) continue;
    const double far = knomial_level(network, radix, unit, bytes, within);
    crossing = std::max(crossing, far - level);
  }
  const auto full = [&](Count root) {
    const bool is_across = root / together != (root + unit - 1) / together;
    return is_across ? below + crossing : below;
  };
  // The last of the root's longest branches may be to a smaller subtree.
  double sent = 0;
  double end = 0;
  for (Count child = (ranks - 1) / unit; child > 0; --child) {
    const Count on = child * unit;
    const bool is_far = first / together != (first + on) / together;
    const auto distance = static_cast<int>(is_far ? std::max(on, together) : on);
    const auto rest = static_cast<int>(ranks - on);
    const double subtree =
        rest < unit ? knomial(network, first + on, rest, radix, bytes) : full(first + on);
    end = std::max(end, sent + network.hop(distance, bytes) + subtree);
    sent += network.step(distance, bytes);
  }
  return std::max(end, sent + full(first));
}

// What a pipeline moves at once.
[[nodiscard]] inline Count stage_of(const Shape& shape) {
  return shape.segment > 0 ? std::min(shape.segment, shape.count) : shape.count;
}

// Segments that follow each other down a line of ranks, each of which works on them, and for so
// long on what comes before the next one.
[[nodiscard]] inline double pipeline(const Network& network, const Shape& shape, double work,
                                     double between = 0) {
  const Count segment = stage_of(shape);
  const Count segments = segment > 0 ? (shape.count + segment - 1) / segment : 1;
  double period = network.period(segment, work + between);
  // Where a rank's processor takes the longest, what comes in keeps it from what is to go out, and
  // the segments come unevenly, the more so down the line. By so much as simulated.
  const MessageCost each = Network::cost(network.nearest(), segment);
  const double processor = each.send + each.recv + work + between;
  if (shape.size > 2 && processor > each.gap && processor >= period) {
    const double over = processor / each.gap - 1;
    const double most = between > 0 ? 0.3 : std::min(1.5, (work > 0 ? 1.2 : 0.75) * over);
    const double reached = shape.size > 4 ? 1 : (shape.size == 4 ? 0.9 : 0.7);
    period += reached * most * each.gap;
  }
  return network.line(shape.size, segment, work) + static_cast<double>(segments - 1) * period;
}

// One rank receives from all others: what comes from far while it receives the near ones' waits.
[[nodiscard]] inline double fan_in(const Network& network, int ranks, Count bytes) {
  double port = 0;
  double end = 0;
  for (int reached = 1; reached < ranks;) {
    const Network::Tier& tier = network.tier(reached);
    const int peers = std::min(tier.ranks, ranks) - reached;
    const MessageCost each = Network::cost(tier, bytes);
    const double taken = std::max(each.gap, each.recv);
    const double last = std::max(port, each.send + each.wire) + (peers - 1) * taken;
    end = last + each.recv;
    port = last + taken;
    reached += peers;
  }
  return end;
}

// One rank sends to all others.
[[nodiscard]] inline double fan_out(const Network& network, int ranks, Count bytes) {
  double time = 0;
  double last = 0;
  for (int reached = 1; reached < ranks;) {
    const Network::Tier& tier = network.tier(reached);
    const int peers = std::min(tier.ranks, ranks) - reached;
    last = network.step(reached, bytes);
    time += peers * last;
    reached += peers;
  }
  return time + network.hop(ranks - 1, bytes) - last;
}

}  // namespace stretto
