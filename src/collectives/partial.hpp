// Where a rank's partial result lies while a reduction is under way, and how a
// peer's is combined with it: in rank order where that matters, and without
// copying the user's data wherever it can be avoided.
//
// The partial result moves between three vectors of equal length: the input,
// which is never written; the home, where the result is wanted (the receive
// buffer, on a rank that has one); and the spare, in scratch.
#pragma once

#include "schedule/builder.hpp"

namespace stretto {

class Partial {
 public:
  enum class Order { rank, any };  // in which operands may be combined

  Partial(Builder& step, const Shape& shape, bool result_here, Order order)
      : Partial(step, shape, shape.count, result_here, order) {}
  // Of vectors of `length` elements.
  Partial(Builder& step, const Shape& shape, Count length, bool result_here, Order order)
      : step_(step),
        length_(length),
        result_here_(result_here),
        order_(order),
        place_(result_here && shape.in_place ? Place::home : Place::input) {}

  // This rank's partial result.
  [[nodiscard]] Region at(const Span& span) const { return region(place_, span); }

  // Where to receive a peer's, of the same elements, for `combine`.
  [[nodiscard]] Region landing(const Span& span) const { return region(landing_place(), span); }

  // Combines what landed with what is here; from then on `at` holds for `span`
  // only. May write `at(span)`, so sends of it belong among `after`.
  StepId combine(const Span& span, bool theirs_first, const After& after) {
    const Region mine = at(span);
    const Region theirs = landing(span);
    const bool mine_first = !theirs_first;
    if (place_ != Place::input && (theirs_first || order_ == Order::any)) {
      return step_.reduce(theirs, mine, after);
    }
    if (mine_first || order_ == Order::any) {
      place_ = landing_place();
      return step_.reduce(mine, theirs, after);
    }
    // Theirs must be the left operand, and the right one, ours, may not be written.
    place_ = Place::spare;
    After ready = after;
    ready.add(step_.copy(mine, at(span)));
    return step_.reduce(theirs, at(span), ready);
  }

  // Brings what is here home.
  StepId settle(const Span& span, const After& after) {
    const Region from = at(span);
    place_ = Place::home;
    return step_.copy(from, at(span), after);
  }

 private:
  enum class Place { input, home, spare };

  [[nodiscard]] Place landing_place() const {
    return place_ == Place::home ? Place::spare : Place::home;
  }
  [[nodiscard]] Region region(Place place, const Span& span) const {
    if (place == Place::input) return step_.input(span);
    if (place == Place::home && result_here_) return step_.output(span);
    const Count base = place == Place::spare && !result_here_ ? length_ : 0;
    return step_.scratch({base + span.offset, span.count});
  }

  Builder& step_;
  Count length_;
  bool result_here_;
  Order order_;
  Place place_;
};

}  // namespace stretto
