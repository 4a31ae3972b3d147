// What the reductions of intercommunicators have in common: each group has a leader, its
// first rank, and the leaders exchange what their groups have.
#pragma once

#include "patterns/binomial.hpp"
#include "schedule/builder.hpp"

namespace stretto {

// One of the two groups; its ranks are consecutive.
struct Group {
  Rank leader = 0;
  int size = 0;

  [[nodiscard]] bool has(Rank rank) const { return rank >= leader && rank < leader + size; }
  [[nodiscard]] BinomialTree tree(Rank me) const { return {size, 0, me - leader}; }

  static Group of(const Shape& shape, Rank rank) {
    if (rank < shape.first_group) return {0, shape.first_group};
    return {shape.first_group, shape.size - shape.first_group};
  }
  static Group other_than(const Shape& shape, Rank rank) {
    return of(shape, rank < shape.first_group ? shape.first_group : 0);
  }
};

// A partial result, once `ready` is done.
struct Sum {
  Region where;
  StepId ready = kNoStep;
};

// The leader gets the sum of its group's inputs, in rank order, up a binomial tree.
inline Sum reduce_to_leader(Builder& step, const Shape& shape, const Group& group, Rank me) {
  const BinomialTree tree = group.tree(me);
  Sum sum{step.input({0, shape.count})};
  Span slot{0, shape.count};
  for (const auto& child : tree.children_near_first()) {
    const Region theirs = step.scratch(slot);
    const StepId received = step.recv(group.leader + child.rank, theirs);
    sum = {theirs, step.reduce(sum.where, theirs, after(sum.ready, received))};
    slot.offset += shape.count;
  }
  if (me != group.leader) step.send(group.leader + tree.parent(), sum.where, after(sum.ready));
  return sum;
}

}  // namespace stretto
