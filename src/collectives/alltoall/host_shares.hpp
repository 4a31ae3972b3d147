// Who of a host's ranks has to do with which other hosts, in an alltoall between hosts.
#pragma once

#include <vector>

#include "collectives/two_levels.hpp"

namespace stretto {

// Some of another host's ranks, by their numbers there, for which a rank stands: what is for them
// and what comes from them goes through it.
struct HostShare {
  int host = 0;
  Span members;
  Count blocks_before = 0;  // of this rank's other shares
};

// Which of the other hosts' ranks each of a host's ranks stands for: for all of some hosts that
// follow each other; of few hosts for a part each. The parts of two hosts exchange a message each:
// so that there are not too many of them they are as many as the root of how many ranks there are
// for each host.
class HostShares {
 public:
  // Of each of so many other hosts.
  [[nodiscard]] static int parts_of(int ranks, int others) {
    int parts = 1;
    while (others > 0 && (parts + 1) * (parts + 1) * others <= ranks) ++parts;
    return parts;
  }

  HostShares(const TwoLevels& levels, int host)
      : levels_(levels),
        host_(host),
        parts_(parts_of(levels.ranks_on(host), levels.hosts() - 1)),
        shared_out_(Count{parts_} * (levels.hosts() - 1), levels.ranks_on(host)) {}

  [[nodiscard]] std::vector<HostShare> of(int member) const {
    const Span units = shared_out_[member];
    std::vector<HostShare> shares;
    Count blocks = 0;
    for (Count unit = units.offset; unit < units.end(); ++unit) {
      const int other = (host_ + 1 + static_cast<int>(unit / parts_)) % levels_.hosts();
      const Span members = Blocks(levels_.ranks_on(other), parts_)[static_cast<int>(unit % parts_)];
      shares.push_back({other, members, blocks});
      blocks += members.count;
    }
    return shares;
  }
  // Who stands for each part of another host.
  struct Standing {
    Rank rank;
    Span members;  // the part's
  };
  [[nodiscard]] std::vector<Standing> for_host(int other) const {
    const Count first = Count{distance(other) - 1} * parts_;
    std::vector<Standing> standing;
    standing.reserve(static_cast<std::size_t>(parts_));
    for (int part = 0; part < parts_; ++part) {
      standing.push_back({levels_.ranks_of(host_)[shared_out_.holder_of(first + part)],
                          Blocks(levels_.ranks_on(other), parts_)[part]});
    }
    return standing;
  }

 private:
  // Round the circle of hosts. Ranks are dealt out by it so that not all hosts begin with the same
  // one, whose link the messages of all would wait for.
  [[nodiscard]] int distance(int other) const {
    return (other - host_ + levels_.hosts()) % levels_.hosts();
  }

  const TwoLevels& levels_;
  int host_;
  int parts_;
  Blocks shared_out_;
};

}  // namespace stretto
