// Binomial tree over ranks renumbered so that the root is 0. A node whose
// relative number has its lowest set bit at k has the subtree [relative, relative + 2^k).
#pragma once

#include <algorithm>
#include <vector>

namespace stretto {

class BinomialTree {
 public:
  struct Child {
    int rank;           // communicator rank
    int first;          // relative number of the first node of its subtree: its own
    int subtree_size;   // nodes in its subtree, itself included
  };

  BinomialTree(int size, int root, int me)
      : size_(size), root_(root), relative_((me - root + size) % size) {}

  [[nodiscard]] bool is_root() const { return relative_ == 0; }
  [[nodiscard]] int relative() const { return relative_; }
  [[nodiscard]] int parent() const { return absolute(relative_ & (relative_ - 1)); }

  // Nodes in this rank's subtree, itself included: [relative, relative + subtree_size).
  [[nodiscard]] int subtree_size() const { return std::min(reach(), size_ - relative_); }

  // The largest subtree first.
  [[nodiscard]] std::vector<Child> children_far_first() const {
    std::vector<Child> children;
    for (int bit = reach() / 2; bit > 0; bit /= 2) {
      const int child = relative_ + bit;
      if (child < size_) children.push_back({absolute(child), child, std::min(bit, size_ - child)});
    }
    return children;
  }
  // The smallest subtree first.
  [[nodiscard]] std::vector<Child> children_near_first() const {
    std::vector<Child> children = children_far_first();
    std::reverse(children.begin(), children.end());
    return children;
  }

 private:
  // Distance to the end of the subtree if the tree were complete: a power of two.
  [[nodiscard]] int reach() const {
    if (relative_ != 0) return relative_ & -relative_;
    int power = 1;
    while (power < size_) power *= 2;
    return power;
  }
  [[nodiscard]] int absolute(int relative) const { return (relative + root_) % size_; }

  int size_;
  int root_;
  int relative_;
};

}  // namespace stretto
