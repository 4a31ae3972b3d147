// What rounds of messages take, in which all ranks do the same at the same time, for formulas.
#pragma once

#include <array>

#include "collectives/network.hpp"

namespace stretto {

// A rank that exchanges messages round by round with ranks that do the same.
class Exchanges {
 public:
  explicit Exchanges(const Network& network) : network_(network) {}
  // Among the survivors of a fold of so many ranks to a power of two, by whose numbers distances
  // across a hypercube go.
  Exchanges(const Network& network, int ranks);

  // Both ways, with the rank across a hypercube's dimension, or so far round the circle.
  void across(int distance, Count bytes);
  void onwards(int distance, Count bytes);
  // To the one that is so far before it, of those that have such, until rank 0 has it all.
  void to_first(int distance, Count bytes);
  // Up a line of ranks, in which the first do not wait for anybody.
  void upwards(int distance, Count bytes);
  // From here on messages go back the way that they came: what comes from far is waited for again.
  void turn();
  void work(double time);
  // Work of the ranks that others were folded onto, which takes so long before the first round.
  void fold(double time);
  [[nodiscard]] double end() const;

 private:
  struct Rank {
    double cpu = 0, out = 0, in = 0;
  };
  // Where a host ends and the next one begins.
  struct HostEnd {
    int before = 0;  // so many survivors are before it
    // When the ranks on either side are ready that have exchanged with such on the other side, or
    // with ranks that have; 0 as long as there are none.
    double left = 0, right = 0;
    double queued = 0;  // of the last message, on the host's link
  };
  // When the message leaves, where the link is free from `link` on.
  static double exchange(Rank& rank, const MessageCost& cost, double link);

  // `share`: the part of a host's ranks whose messages take the link.
  void all_exchange(const Network::Tier& tier, const Network::Tier& link, Count bytes,
                    double share);
  // Where near ranks wait for what came from far in the first of near rounds, the delay stays.
  void come_from_far(int distance, Count bytes, double hops);
  void more_from_far(int distance, Count bytes);
  void far_from_all(Count bytes);
  void all_near(int distance, Count bytes);
  // So many of a host's ranks, at most, send there.
  void all_far(const Network::Tier& tier, int sent, Count bytes);
  // Others were `ready` before that.
  void across_end(HostEnd& end, int distance, Count bytes, double ready);
  // From here on all ranks have to do with those at hosts' ends.
  void meet();
  // So many of a host's ranks, at most, are on another host than the one so far from them.
  [[nodiscard]] int most_across(int distance) const;
  // `queued`: so many times what is sent now is on the links before the last of it.
  void onwards(int distance, Count bytes, double queued);

  const Network& network_;
  Rank first_, last_;  // whose messages pass the host's link first and last
  Rank lone_;          // that is far from those that it exchanges with, where others are near
  double way_ = 0;     // from there
  double link_ = 0;
  bool crossed_ = false;
  bool turned_ = false;
  std::array<HostEnd, 8> ends_{};  // the first ones, and the last
  std::size_t number_of_ends_ = 0;
  int together_ = 1;   // survivors on a host, at most
  int pairs_ = 0;      // ranks that others were folded onto, the first ones
  double folded_ = 0;  // how long they waited for those
};

}  // namespace stretto
