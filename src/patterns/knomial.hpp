// k-nomial tree over ranks renumbered so that the root is 0. A node whose
// relative number has its lowest nonzero base-k digit at position l has the
// subtree [relative, relative + k^l): subtrees are runs of consecutive ranks.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace stretto {

class KnomialTree {
 public:
  struct Node {
    int rank;          // communicator rank
    int first;         // relative number of the first node of its subtree: its own
    int subtree_size;  // nodes in its subtree, itself included
  };

  KnomialTree(int size, int root, int me, int radix)
      : size_(size),
        root_(root),
        radix_(std::max(radix, 2)),
        relative_((me - root + size) % size) {}

  [[nodiscard]] bool is_root() const { return relative_ == 0; }
  [[nodiscard]] bool is_leaf() const { return subtree_size() == 1; }
  [[nodiscard]] int relative() const { return relative_; }
  [[nodiscard]] Node self() const { return {absolute(relative_), relative_, subtree_size()}; }

  [[nodiscard]] int parent() const {
    const std::int64_t unit = reach();
    return absolute(relative_ - relative_ / unit % radix_ * unit);
  }

  // Nodes in this rank's subtree, itself included: [relative, relative + subtree_size).
  [[nodiscard]] int subtree_size() const { return subtree_of(relative_, reach()); }

  // Is the node of this relative number in the subtree?
  [[nodiscard]] bool covers(int node) const {
    return node >= relative_ && node < relative_ + subtree_size();
  }

  // The largest subtree first.
  [[nodiscard]] std::vector<Node> children_far_first() const {
    std::vector<Node> children;
    for (std::int64_t unit = reach() / radix_; unit > 0; unit /= radix_) {
      for (int digit = 1; digit < radix_; ++digit) {
        const std::int64_t child = relative_ + digit * unit;
        if (child >= size_) break;
        children.push_back({absolute(child), static_cast<int>(child), subtree_of(child, unit)});
      }
    }
    return children;
  }
  // The smallest subtree first.
  [[nodiscard]] std::vector<Node> children_near_first() const {
    std::vector<Node> children = children_far_first();
    std::reverse(children.begin(), children.end());
    return children;
  }

 private:
  // Distance to the end of the subtree if the tree were complete: a power of the radix.
  [[nodiscard]] std::int64_t reach() const {
    std::int64_t unit = 1;
    while (relative_ == 0 ? unit < size_ : relative_ % (unit * radix_) == 0) unit *= radix_;
    return unit;
  }
  [[nodiscard]] int subtree_of(std::int64_t node, std::int64_t unit) const {
    return static_cast<int>(std::min(unit, size_ - node));
  }
  [[nodiscard]] int absolute(std::int64_t relative) const {
    return static_cast<int>((relative + root_) % size_);
  }

  int size_;
  int root_;
  int radix_;
  int relative_;
};

}  // namespace stretto
