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
  // Of the first `ranks` places of the machine, which must outlive it. They are on so many hosts,
  // which need not be full; 0: on as many as they fill.
  Network(const Machine& machine, int ranks, int hosts = 0);

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

  // Hosts as the machine names them, which is how layouts have them; of a machine without any each
  // rank is one of its own.
  [[nodiscard]] int hosts() const { return hosts_; }
  [[nodiscard]] int ranks_on_host() const { return ranks_on_host_; }
  // Of one host's ranks, and of one rank of each host, which has its link to itself.
  [[nodiscard]] Network on_host() const;
  [[nodiscard]] Network between_hosts() const;

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
  explicit Network(const Machine& machine);
  // Levels from one on that is this near; what is left is how many ranks are together there.
  void add_tiers(std::size_t first, std::size_t end, int ranks, int together_below);

  // Of a rank on the last host, which may have fewer, or on another.
  [[nodiscard]] double all_at_once(int ranks, Count bytes, double work, bool last_host) const;

  const Machine* machine_;
  std::size_t host_level_ = 0;  // index of the machine's, or one after its last
  int hosts_ = 1;
  int ranks_on_host_ = 1;
  std::array<Tier, 6> tiers_{};
  std::size_t used_ = 0;
  std::size_t host_ = 0;
  bool ragged_ = false;
  bool is_alone_ = false;
  double copy_, copy_per_byte_, reduce_, reduce_per_byte_;
};

// Rounds until a message has doubled its way to all; radix 2: lg(ranks).
[[nodiscard]] int levels_of(int ranks, int radix = 2);

}  // namespace stretto
