// What an algorithm's messages take on a machine, for formulas: no schedule is built.
//
// The simulator (src/model) runs schedules; these say beforehand about what it will find, in a time
// that grows with the logarithm of the number of ranks. Ranks that do the same at the same time are
// looked at as one, except that those of a host share its link. Times in ns, sizes in bytes.
#pragma once

#include <algorithm>
#include <array>

#include "schedule/shape.hpp"
#include "topology/machine.hpp"

namespace stretto {

class Network {
 public:
  // Of the first `ranks` places of the machine, which must outlive it.
  Network(const Machine& machine, int ranks);

  struct Tier {
    int ranks = 0;  // that are this near, at most
    const Level* level = nullptr;
    // How long its link passes the others' bytes, where all ranks send this far at one time.
    double load_per_byte = 0;
  };
  // What is between a rank and the one so far on; where groups lie in groups, in the same one.
  [[nodiscard]] const Tier& tier(int distance) const;
  // The farthest that is not much slower than the nearest: of a host, mostly, where others are
  // ranks of one core complex, too.
  [[nodiscard]] const Tier& host() const { return tiers_[host_]; }
  [[nodiscard]] const Tier& nearest() const { return tiers_[0]; }
  [[nodiscard]] const Tier& farthest() const { return tiers_[used_ - 1]; }
  // The largest group that is not all of them; where there is none, all.
  [[nodiscard]] const Tier& group() const { return tiers_[used_ > 1 ? used_ - 2 : 0]; }
  [[nodiscard]] static MessageCost cost(const Tier& tier, Count bytes) {
    return message_cost(*tier.level, bytes);
  }

  // How far it is along a tree's branch to the subtree `distance` ranks on, where such subtrees
  // together have `group` ranks. The longest branches shorter than a host may lie across hosts;
  // shorter ones may, too, but hardly after those.
  [[nodiscard]] int branch(int distance, Count group) const;

  // Not all hosts are full.
  [[nodiscard]] bool is_ragged() const { return ragged_; }
  // One rank has a host to itself, and no near neighbour.
  [[nodiscard]] bool is_alone() const { return is_alone_; }

  // The part of Tier::load_per_byte where so many of a host's ranks send at one time.
  [[nodiscard]] double share_of_link(int ranks) const {
    return host().ranks > 1 ? (ranks - 1.0) / (host().ranks - 1) : 1;
  }

  // From the start of a message's send to the end of its receive.
  [[nodiscard]] double hop(int distance, Count bytes) const;
  // From one message's start to the next one's.
  [[nodiscard]] double step(int distance, Count bytes) const;
  [[nodiscard]] double reduce(Count bytes) const;
  [[nodiscard]] double copy(Count bytes) const;

  // Of a message that is passed on from rank to rank, through `ranks` of them, each of which works
  // on it for so long.
  [[nodiscard]] double line(int ranks, Count bytes, double work) const;
  // From one message that is passed on so to the next. Who is alone on its host is at the line's
  // end, as it is where the root is rank 0; `alone`: it is not, and both its neighbours are far.
  [[nodiscard]] double period(Count bytes, double work, bool alone = false) const;
  // So many rounds in which every rank passes on what it has got to the next one.
  [[nodiscard]] double ring(int ranks, Count rounds, Count bytes, double work) const;
  // A rank exchanges a message with each of `ranks`, in no order.
  [[nodiscard]] double all_at_once(int ranks, Count bytes, double work) const;

 private:
  // Of a rank on the last host, which may have fewer, or on another.
  [[nodiscard]] double all_at_once(int ranks, Count bytes, double work, bool last_host) const;

  std::array<Tier, 6> tiers_{};
  std::size_t used_ = 0;
  std::size_t host_ = 0;
  bool ragged_ = false;
  bool is_alone_ = false;
  double copy_, copy_per_byte_, reduce_, reduce_per_byte_;
};

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

// Rounds until a message has doubled its way to all; radix 2: lg(ranks).
[[nodiscard]] int levels_of(int ranks, int radix = 2);

}  // namespace stretto
