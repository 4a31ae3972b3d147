// Whom each rank sends to, or receives from, in one round.
//
// Mostly the rank that is so many further on, round the end, or the one across a hypercube's
// dimension: then one number says it for all ranks, where a list of a million would have to be
// written, kept and read.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/large_pages.hpp"
#include "base/span.hpp"

namespace stretto::model {

// Ranks from the first one to the end.
struct Stretch {
  std::size_t first;
  std::size_t end;
};

class Peers {
 public:
  Peers(std::size_t ranks, std::size_t round) : ranks_(ranks), round_(round) {}

  // Ranks come in order; those left out have no peer.
  void set(std::size_t rank, Rank peer) {
    if (rank == alike_ && peer == by_form(rank)) {
      ++alike_;
    } else {
      set_other(rank, peer);
    }
  }
  // After the last one.
  void finish();

  // Of the rank; -1: none.
  [[nodiscard]] Rank operator[](std::size_t rank) const {
    if (!list_.empty()) return list()[rank];
    return rank < alike_ ? by_form(rank) : -1;
  }
  [[nodiscard]] bool empty() const { return alike_ == 0; }
  // What is sent to a rank's peer comes, at all ranks, from that rank. False may be a mistake.
  [[nodiscard]] bool undo(const Peers& to) const;

  // The whole list, which is written to `room` where there is none.
  [[nodiscard]] const Rank* listed(LargeVector<Rank>& room) const;

  // Ranks that have peers all, a part at a time: `visit(stretch, peer_of)`, where
  // `peer_of(rank)` is of a type that a compiler can see through.
  template <class Visit>
  void visit(Stretch ranks, const Visit& visit) const;

 private:
  static constexpr auto kDiffer = static_cast<std::size_t>(-1);

  [[nodiscard]] Rank by_form(std::size_t rank) const {
    const std::size_t peer = (rank ^ across_) + onwards_;
    return static_cast<Rank>(peer < ranks_ ? peer : peer - ranks_);
  }
  [[nodiscard]] const Rank* list() const { return list_.data() + skipped(); }
  // What is written at one time, of all rounds for one rank, would fall into one set of the cache
  // if every list began at the start of a page.
  [[nodiscard]] std::size_t skipped() const { return round_ % 64 * (64 / sizeof(Rank)); }

  void set_other(std::size_t rank, Rank peer);
  [[nodiscard]] bool may_be_across() const;
  void make_list();

  std::size_t ranks_;
  std::size_t round_;
  std::size_t alike_ = 0;    // the first ranks, whose peers the form gives:
  std::size_t onwards_ = 0;  // so far on,
  std::size_t across_ = 0;   // or so far across
  LargeVector<Rank> list_;   // once they differ
};

// Each rank's peer is so far on.
struct Onwards {
  std::size_t distance;  // backwards: modulo 2^64
  std::size_t operator()(std::size_t rank) const { return rank + distance; }
};

struct Across {
  std::size_t distance;
  std::size_t operator()(std::size_t rank) const { return rank ^ distance; }
};

struct Listed {
  const Rank* peers;
  std::size_t operator()(std::size_t rank) const { return static_cast<std::size_t>(peers[rank]); }
};

template <class Visit>
void Peers::visit(Stretch ranks, const Visit& visit) const {
  if (!list_.empty()) return visit(ranks, Listed{list()});
  if (across_ == 0) {
    const std::size_t wraps = std::clamp(ranks_ - onwards_, ranks.first, ranks.end);
    visit({ranks.first, wraps}, Onwards{onwards_});
    visit({wraps, ranks.end}, Onwards{onwards_ - ranks_});
    return;
  }
  // Up to the lowest bit that is crossed, ranks next to each other have such peers.
  const std::size_t together = across_ & -across_;
  constexpr std::size_t kWorthIt = 8;
  if (together < kWorthIt) return visit(ranks, Across{across_});
  for (std::size_t first = ranks.first; first < ranks.end;) {
    const std::size_t end = std::min(first / together * together + together, ranks.end);
    visit({first, end}, Onwards{(first ^ across_) - first});
    first = end;
  }
}

}  // namespace stretto::model
