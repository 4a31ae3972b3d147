// When a message can be received, where its bytes wait for others' and where they do not.
#pragma once

#include <algorithm>
#include <vector>

#include "model/costs.hpp"

namespace stretto::model {

struct FreeLinks {
  static constexpr bool kShared = false;

  [[nodiscard]] static double arrival(Rank, Rank, const MessageCost& cost, double sent) {
    return sent + cost.wire;
  }
};

// A message passes the links of all levels up to its own (see Level) and its own level's medium;
// first come, first served, each message as a whole, in the order in which their sends take place.
class SharedLinks {
 public:
  static constexpr bool kShared = true;

  SharedLinks(const Machine& machine, int ranks) : places_(machine.places) {
    for (const Rank place : places_) ranks = std::max(ranks, place + 1);
    int below = 1;  // ranks that leave by one link
    bool passes = false;
    for (const Level& level : machine.levels) {
      const int together = level.ranks == 0 ? ranks : level.ranks;
      passes = passes || level.link_per_byte > 0;
      if (level.link_per_byte > 0) domain_ = std::max(domain_, below);
      if (level.medium_per_byte > 0) domain_ = std::max(domain_, together);
      levels_.push_back({.below = below,
                         .together = together,
                         .link_per_byte = level.link_per_byte,
                         .medium_per_byte = level.medium_per_byte,
                         .waits = passes || level.medium_per_byte > 0,
                         .out = free_from_start(level.link_per_byte, ranks, below),
                         .in = free_from_start(level.link_per_byte, ranks, below),
                         .medium = free_from_start(level.medium_per_byte, ranks, together)});
      below = together;
    }
  }

  [[nodiscard]] double arrival(Rank sender, Rank receiver, const Costs::Message& cost,
                               double sent) {
    return enter(receiver, cost, leave(sender, cost, sent));
  }

  // The same in two halves, for many messages at a time: each half has its own links. When the
  // message, sent then, is at the receiver's links if those are free.
  [[nodiscard]] double leave(Rank sender, const Costs::Message& cost, double sent) {
    const Rank from = place_of(sender);
    const auto bytes = static_cast<double>(cost.bytes);
    double leaves = sent;
    for (std::size_t level = 0; level <= cost.level; ++level) {
      Shared& shared = levels_[level];
      if (shared.link_per_byte == 0) continue;
      double& link = shared.out[static_cast<std::size_t>(from / shared.below)];
      leaves = std::max(leaves, link);
      link = leaves + bytes * shared.link_per_byte;
    }
    double arrives = 0;
    Shared& own = levels_[cost.level];
    if (own.medium_per_byte > 0) {
      double& medium = own.medium[static_cast<std::size_t>(from / own.together)];
      leaves = std::max(leaves, medium);
      medium = arrives = leaves + bytes * own.medium_per_byte;
    }
    return std::max(arrives, leaves + cost.wire);
  }
  // When it can be received.
  [[nodiscard]] double enter(Rank receiver, const Costs::Message& cost, double arrives) {
    const Rank to = place_of(receiver);
    const auto bytes = static_cast<double>(cost.bytes);
    for (std::size_t level = cost.level + 1; level-- > 0;) {
      Shared& shared = levels_[level];
      if (shared.link_per_byte == 0) continue;
      double& link = shared.in[static_cast<std::size_t>(to / shared.below)];
      // The last byte comes no sooner than the link has passed on all before it.
      arrives = std::max(arrives, link + bytes * shared.link_per_byte);
      link = arrives;
    }
    return arrives;
  }

  // May a message of that level have to wait for others?
  [[nodiscard]] bool may_wait(const Costs::Message& cost) const {
    return levels_[cost.level].waits;
  }
  // Messages whose senders are in different domains share nothing that they leave by, and those
  // whose receivers are, nothing that they come in by.
  [[nodiscard]] std::size_t domain_of(Rank rank) const {
    return static_cast<std::size_t>(place_of(rank) / domain_);
  }

 private:
  struct Shared {
    int below;
    int together;
    double link_per_byte;
    double medium_per_byte;
    bool waits;                   // a message of this level passes something shared
    std::vector<double> out, in;  // of each group below: when its link is free
    std::vector<double> medium;   // of each group
  };

  static std::vector<double> free_from_start(double per_byte, int ranks, int group) {
    if (per_byte == 0) return {};  // nobody waits for it
    return std::vector<double>(static_cast<std::size_t>((ranks + group - 1) / group));
  }

  [[nodiscard]] Rank place_of(Rank rank) const {
    return places_.empty() ? rank : places_[static_cast<std::size_t>(rank)];
  }

  std::vector<Shared> levels_;
  std::vector<Rank> places_;
  int domain_ = 1;  // places to each
};

}  // namespace stretto::model
