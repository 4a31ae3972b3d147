// What reduce's trees have in common: partial results travel up to the top, and
// the result from there to the root where that is another rank.
#pragma once

#include "collectives/window.hpp"
#include "schedule/builder.hpp"

namespace stretto {

class Upward {
 public:
  // Only a tree from rank 0 up covers the ranks in order; from another root it
  // would wrap around, which only commutative operations allow.
  static Rank top(const Shape& shape) { return shape.commutative ? shape.root : 0; }

  Upward(Builder& step, const Shape& shape, Rank me) : step_(step), shape_(shape), me_(me) {}

  // Is this rank's vector where the result belongs, and may the others' be added to it there?
  [[nodiscard]] bool is_home() const {
    return shape_.in_place && shape_.commutative && me_ == shape_.root;
  }

  // Where to receive a child's partial result: `last` will be the last operand, so
  // at the root it lands where the result belongs, unless the input lies there.
  [[nodiscard]] Region landing(Span span, Span slot, bool last) const {
    const bool here = last && me_ == shape_.root && me_ == top(shape_) && !shape_.in_place;
    return here ? step_.output(span) : step_.scratch(slot);
  }

  // Hands this rank's partial result to `parent` (unless it is the top).
  void pass_on(Rank parent, Region partial, Span span, StepId ready) {
    const bool is_root = me_ == shape_.root;
    if (me_ == top(shape_)) {
      if (is_root) {
        step_.copy(partial, step_.output(span), after(ready));
      } else {
        sends_.add(step_.send(shape_.root, partial, after(ready, sends_.before_next())));
      }
      return;
    }
    const StepId sent = sends_.add(step_.send(parent, partial, after(ready, sends_.before_next())));
    if (!is_root) return;
    // In place, what is sent may lie where the result will.
    const After free = after(sent, receives_.before_next());
    receives_.add(step_.recv(top(shape_), step_.output(span), free));
  }

 private:
  Builder& step_;
  const Shape& shape_;
  Rank me_;
  Window sends_;
  Window receives_;  // of the result
};

}  // namespace stretto
