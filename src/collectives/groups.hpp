// What the reductions of intercommunicators have in common: each group has a first rank, at which
// the sum of its vectors comes together.
#pragma once

#include "collectives/reduce/up_tree.hpp"

namespace stretto {

// One of the two groups; its ranks are consecutive.
struct Group {
  Rank first = 0;
  int size = 0;

  [[nodiscard]] bool has(Rank rank) const { return rank >= first && rank < first + size; }
  [[nodiscard]] RankMap ranks() const { return RankMap::from(first); }
  [[nodiscard]] BinomialTree tree(Rank me) const { return {size, 0, me - first}; }

  static Group of(const Shape& shape, Rank rank) {
    if (rank < shape.first_group) return {0, shape.first_group};
    return {shape.first_group, shape.size - shape.first_group};
  }
  static Group other_than(const Shape& shape, Rank rank) {
    return of(shape, rank < shape.first_group ? shape.first_group : 0);
  }
};

// Of the inputs of the group, in rank order, at its first rank.
inline Sum sum_of_group(Builder& step, const Shape& shape, const Group& group, Rank me) {
  const Span all{0, shape.count};
  return step.among(group.ranks(), [&] {
    return sum_up(step, group.tree(me), {step.input(all)}, all, shape.count);
  });
}

}  // namespace stretto
