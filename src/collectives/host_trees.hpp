// A binomial tree on a host and one between hosts, which gathers and scatters go up and down.
#pragma once

#include "collectives/two_levels.hpp"

namespace stretto {

// Where blocks that a rank holds lie, in their number: in the order in which its subtrees' ranks
// come, on its host and then on others, beginning with its own.
class HostTrees {
 public:
  explicit HostTrees(const TwoLevels& levels)
      : host(levels.on_host().tree(levels.first())),
        hosts(levels.between_hosts().tree(levels.root_host())),
        levels_(levels) {}

  // Those of a child's subtree.
  [[nodiscard]] Span of_host_child(const BinomialTree::Node& child) const {
    return {child.first - host.relative(), child.subtree_size};
  }
  [[nodiscard]] Span of_hosts_child(const BinomialTree::Node& child) const {
    return of_hosts(child.first, child.subtree_size);
  }
  // All that this rank holds, which are its parent's of a child.
  [[nodiscard]] Span all() const {
    if (!levels_.is_first()) return {0, host.subtree_size()};
    return of_hosts(hosts.relative(), hosts.subtree_size());
  }

  const BinomialTree host;
  const BinomialTree hosts;

 private:
  [[nodiscard]] Span of_hosts(int first, int number) const {
    const Count begin = ranks_of(first);
    return {begin - ranks_of(hosts.relative()), ranks_of(first + number) - begin};
  }
  // Ranks of so many hosts from the root's on, which go round after the last.
  [[nodiscard]] Count ranks_of(int number) const {
    const int end = levels_.root_host() + number;
    const int before = levels_.ranks_before(levels_.root_host());
    if (end <= levels_.hosts()) return levels_.ranks_before(end) - before;
    return levels_.ranks_before(levels_.hosts()) - before +
           levels_.ranks_before(end - levels_.hosts());
  }

  const TwoLevels& levels_;
};

}  // namespace stretto
