// The vectors of all ranks, added up by a rank that has got them all, in one order whoever does so:
// from the last rank's down.
#pragma once

#include <vector>

#include "schedule/builder.hpp"

namespace stretto {

class RankOrderSum {
 public:
  RankOrderSum(Builder& step, const Shape& shape, Rank me)
      : step_(step),
        n_(shape.count),
        last_(shape.size - 1),
        me_(me),
        // In place the result's home is one of the operands.
        sum_(shape.in_place ? slot(last_) : step.output({0, n_})) {}

  // Where a vector is to be received.
  [[nodiscard]] Region landing(Rank from) const { return from == last_ ? sum_ : slot(from); }

  // `arrived` by rank; before the sum gets to where it belongs `read` is done.
  void add(const std::vector<StepId>& arrived, StepId read) {
    const Region own = step_.input({0, n_});
    StepId added = me_ == last_ ? step_.copy(own, sum_) : arrived[static_cast<std::size_t>(last_)];
    for (Rank rank = last_; rank-- > 0;) {
      const StepId left = arrived[static_cast<std::size_t>(rank)];
      added = step_.reduce(rank == me_ ? own : landing(rank), sum_, after(left, added));
    }
    step_.copy(sum_, step_.output({0, n_}), after(added, read));
  }

 private:
  [[nodiscard]] Region slot(Rank rank) const { return step_.scratch({rank * n_, n_}); }

  Builder& step_;
  Count n_;
  Rank last_;
  Rank me_;
  Region sum_;
};

}  // namespace stretto
