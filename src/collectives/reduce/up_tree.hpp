// Up a binomial tree, to its root: what reductions are made of.
#pragma once

#include "patterns/binomial.hpp"
#include "schedule/builder.hpp"

namespace stretto {

// A partial result, once `ready` is done.
struct Sum {
  Region where;
  StepId ready = kNoStep;
  // Others are added where it lies: it may be written, and operations commute.
  bool stays = false;
};

// The sum of this rank's vector and its children's, in the order of the tree's ranks. Nothing
// begins before `own` is ready. `landing(child, last)` is where the one of child 0, 1, ... is
// received: each has a place of its own, so a late child keeps none of its siblings waiting.
template <class Landing>
Sum add_children(Builder& step, const BinomialTree& tree, const Sum& own, const Landing& landing) {
  const auto children = tree.children_near_first();
  Sum sum = own;
  Count number = 0;
  for (const auto& child : children) {
    const Region theirs = landing(number++, &child == &children.back());
    const StepId received = step.recv(child.rank, theirs, after(own.ready));
    const After both = after(sum.ready, received);
    sum = sum.stays ? Sum{sum.where, step.reduce(theirs, sum.where, both), true}
                    : Sum{theirs, step.reduce(sum.where, theirs, both)};
  }
  return sum;
}

// The same, of all ranks at the root. Elsewhere what is `ready` is that the sum has been passed on:
// from then on this rank's vector may be overwritten. Child k's is received at `span` of the k-th
// vector of scratch, all of which have `length` elements.
inline Sum sum_up(Builder& step, const BinomialTree& tree, const Sum& own, const Span& span,
                  Count length) {
  const auto slot = [&](Count child, bool) {
    return step.scratch({child * length + span.offset, span.count});
  };
  Sum sum = add_children(step, tree, own, slot);
  if (!tree.is_root()) sum.ready = step.send(tree.parent(), sum.where, after(sum.ready));
  return sum;
}

}  // namespace stretto
