// What the two-level algorithms have in common: the ranks of a host among each other, and one rank
// of each host among those of the others.
#pragma once

#include <vector>

#include "collectives/bcast/down_tree.hpp"
#include "patterns/binomial.hpp"
#include "patterns/blocks.hpp"
#include "schedule/builder.hpp"
#include "topology/layout.hpp"

namespace stretto {

// Some of the ranks, of which this one is number `me`.
struct RanksAmong {
  RankMap ranks;
  int size = 1;
  int me = 0;

  [[nodiscard]] BinomialTree tree(int root = 0) const { return {size, root, me}; }
};

// Of the host of one rank of a shape, and of all hosts' first ranks. Hosts are as the layout has
// them; of one that does not know them each rank is a host of its own. Where operands must be
// joined in rank order a host whose ranks do not follow each other is as many as it has runs of
// ranks that do.
class TwoLevels {
 public:
  TwoLevels(const Shape& shape, const Layout& layout, Rank me)
      : TwoLevels(shape, layout.find(kHostLevel), me) {}

  [[nodiscard]] const RanksAmong& on_host() const { return on_host_; }
  // Of hosts' first ranks; of the root's host the root is the first.
  [[nodiscard]] const RanksAmong& between_hosts() const { return between_hosts_; }
  // Has it to do with other hosts?
  [[nodiscard]] bool is_first() const { return on_host_.me == first_; }
  // The number of the host's first rank there.
  [[nodiscard]] int first() const { return first_; }
  // The number of the root's host.
  [[nodiscard]] int root_host() const { return root_host_; }

  [[nodiscard]] int hosts() const { return between_hosts_.size; }
  // Ranks of all the hosts before this one; of all ranks for the one after the last.
  [[nodiscard]] int ranks_before(int host) const {
    return hosts_ == nullptr ? host : hosts_->size_before(host);
  }
  [[nodiscard]] int ranks_on(int host) const { return ranks_before(host + 1) - ranks_before(host); }
  // Host by host ranks are in their own order.
  [[nodiscard]] bool in_rank_order() const { return hosts_ == nullptr || hosts_->in_blocks(); }
  [[nodiscard]] RankMap ranks_of(int host) const {
    return hosts_ == nullptr ? RankMap::from(host) : hosts_->members(host);
  }

 private:
  TwoLevels(const Shape& shape, const LayoutLevel* level, Rank me) {
    // What is joined in rank order comes together at the first rank of all.
    const bool in_order = reduces(shape.collective) && !shape.commutative;
    const Rank root = is_rooted(shape.collective) && !in_order ? shape.root : 0;
    if (level == nullptr) {
      on_host_ = {.ranks = RankMap::from(me)};
      between_hosts_ = {.ranks = {}, .size = shape.size, .me = me};
      root_host_ = root;
      return;
    }
    hosts_ = in_order ? &level->runs() : &level->groups();
    const int host = hosts_->group_of(me);
    root_host_ = hosts_->group_of(root);
    on_host_ = {hosts_->members(host), hosts_->size_of(host), hosts_->number_of(me)};
    between_hosts_ = {hosts_->firsts().with(root_host_, root), hosts_->groups(), host};
    if (host == root_host_) first_ = hosts_->number_of(root);
  }

  const Partition* hosts_ = nullptr;  // the layout's; none: not known
  RanksAmong on_host_;
  RanksAmong between_hosts_;
  int first_ = 0;
  int root_host_ = 0;
};

// `write(segment, ready)` for each segment of a vector, all of which go through the same stages one
// after the other; its first steps wait for `ready`. That hosts and what is between them are busy
// at one time takes a few under way; with more a first rank's port would be taken by its host's
// next segments while those before wait to go on.
template <class Write>
void write_segments(Builder& step, const Shape& shape, const Write& write) {
  constexpr Count kUnderWay = 4;
  const Segments segments{shape.count, shape.segment};
  std::vector<StepId> ended;  // by segment
  for (Count i = 0; i < segments.size(); ++i) {
    const StepId first = step.next();
    write(segments[i], i < kUnderWay ? kNoStep : ended[static_cast<std::size_t>(i - kUnderWay)]);
    const bool is_awaited = i + kUnderWay < segments.size();
    ended.push_back(is_awaited ? step.join_from(first) : kNoStep);
  }
}

}  // namespace stretto
