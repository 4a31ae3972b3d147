// The machine a simulation runs on: LogGP per level of the topology.
//
// A message of s bytes costs its sender the overhead o + O s of CPU time, travels for
// L + (s - 1) G, and costs its receiver o + O s again; from one message to the next a rank's
// port, in or out, is busy for g + (s - 1) G. Alexandrov et al., "LogGP", SPAA 1995; O is
// Hoefler et al.'s, "LogGOPSim", HPDC 2010. All times are in nanoseconds.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "base/span.hpp"
#include "topology/layout.hpp"

namespace stretto {

// The parameters for messages from `from_bytes` bytes on: protocols change with size.
struct CostPiece {
  std::int64_t from_bytes = 0;
  double latency = 0;            // L
  double send_overhead = 0;      // o of the sender
  double recv_overhead = 0;      // o of the receiver
  double overhead_per_byte = 0;  // O
  double gap = 0;                // g
  double gap_per_byte = 0;       // G
  // An MPI's rendezvous: the sender asks, and the message leaves when its receiver has answered.
  bool rendezvous = false;
};

// Ranks [k n, (k + 1) n) are together at this level, n = `ranks`.
struct Level {
  std::string name{};
  int ranks = 0;                    // 0, in the last level: all
  std::vector<CostPiece> pieces{};  // by from_bytes; the first is from 0
  // Where they are not 0, messages at this level share a link each way of the group below that
  // they leave or enter (a host's), and a medium of the group they stay in: bytes take turns.
  double link_per_byte = 0;
  double medium_per_byte = 0;
  double added_latency = 0;  // to that of all pieces, by `slow_network`
};

struct Machine {
  std::string name{};
  std::vector<Level> levels{};  // from the nearest to the farthest
  double copy = 0;              // of a copy: a constant and per byte
  double copy_per_byte = 0;
  double reduce = 0;
  double reduce_per_byte = 0;
  double page_fault = 0;  // of the first touch of a page of memory

  // Where each rank is, for communicators that are not the first ranks in their order; empty:
  // rank r at place r.
  std::vector<Rank> places{};

  [[nodiscard]] Rank place_of(Rank rank) const {
    return places.empty() ? rank : places[static_cast<std::size_t>(rank)];
  }
  // Index of the nearest level that has both ranks in one group.
  [[nodiscard]] std::size_t level_between(Rank a, Rank b) const {
    const Rank from = place_of(a);
    const Rank to = place_of(b);
    std::size_t level = 0;
    while (level + 1 < levels.size() && from / levels[level].ranks != to / levels[level].ranks) {
      ++level;
    }
    return level;
  }
  // Messages between the first `ranks` ranks may wait for others that are not their ends'.
  [[nodiscard]] bool has_contention(int ranks) const;
};

// Of the first `ranks` ranks: all levels but the last, which has them all together, unless that is
// the host.
[[nodiscard]] Layout layout_of(const Machine& machine, int ranks);

// How many hosts the first `ranks` ranks are on; 0 where those of one do not follow each other, or
// the machine names none.
[[nodiscard]] int hosts_in_blocks(const Machine& machine, int ranks);

// What one message costs.
struct MessageCost {
  double send = 0;  // the sender's CPU
  double recv = 0;  // the receiver's
  double gap = 0;   // from its start to the next one's at the same port
  double wire = 0;  // from the end of `send` until it can be received
  // From when its receiver waits for it, too: what was added to the latencies of an answer and of
  // what is sent upon it. What they take on the machine as it is, is in the others.
  double answered = 0;
};
[[nodiscard]] MessageCost message_cost(const Level& level, std::int64_t bytes);

// What is supposed to make a network slower than the machine's is.
struct Slowdown {
  double latency = 0;   // added to each message's
  double per_byte = 1;  // bytes take so many times as long, on links and media, too
};
// Of all levels above the hosts; of all levels where there are none above them.
void slow_network(Machine& machine, const Slowdown& by);

// The machine with so many ranks on each of its hosts, where it has hosts: as many of them to a
// group above, and what is nearer than a host to each other filled one after the other.
[[nodiscard]] Machine with_hosts_of(Machine machine, int ranks);

// A machine's description that is damaged.
struct BadMachine : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Reads what python/stretto/model/machine.py writes of a machine's TOML file, which it has checked,
// and where it is wrong says why; here it is trusted, but for a last check whether the engines
// can rely on it. One fact a line:
//
//   machine NAME                                           (the rest of the line)
//   copy CONSTANT PER_BYTE
//   reduce CONSTANT PER_BYTE
//   page_fault CONSTANT                                    (may be left out: 0)
//   level RANKS LINK_PER_BYTE MEDIUM_PER_BYTE NAME         nearest first; RANKS 0 in the last
//   message FROM_BYTES L O_SEND O_RECV O_PER_BYTE G G_PER_BYTE [rendezvous]
//                                                          of the level before it
//
// Throws BadMachine.
[[nodiscard]] Machine read_machine(std::string_view text);

}  // namespace stretto
