// The blocks a rank has to send in an alltoall: where they are, or, in place, a
// copy in scratch, since what arrives overwrites them.
#pragma once

#include <vector>

#include "schedule/builder.hpp"

namespace stretto {

class Outgoing {
 public:
  Outgoing(Builder& step, const Shape& shape) : step_(step), shape_(shape) {
    if (!shape.in_place) return;
    std::vector<StepId> copied;
    for (Rank rank = 0; rank < shape.size; ++rank) {
      const Span block{rank * shape.count, shape.count};
      copied.push_back(step.copy(step.input(block), step.scratch(block)));
    }
    ready_ = step.join(after(copied));
  }

  // The block for `rank`.
  [[nodiscard]] Region operator[](Rank rank) const {
    const Span block{rank * shape_.count, shape_.count};
    return shape_.in_place ? step_.scratch(block) : step_.input(block);
  }
  // The receive buffer may be written, and the blocks sent, after this.
  [[nodiscard]] StepId ready() const { return ready_; }
  // Scratch from here on is free for other uses.
  [[nodiscard]] Count scratch() const { return shape_.in_place ? shape_.size * shape_.count : 0; }

 private:
  Builder& step_;
  const Shape& shape_;
  StepId ready_ = kNoStep;
};

}  // namespace stretto
