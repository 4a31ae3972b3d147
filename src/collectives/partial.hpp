// Where a rank's partial result lies while a reduction is under way, and how a
// peer's is combined with it: in rank order where that matters, and without
// copying the user's data wherever it can be avoided.
//
// The partial result moves between three vectors of equal length: the input,
// which is never written; the home, where the result is wanted (the receive
// buffer, on a rank that has one); and the spare, in scratch.
#pragma once

#include <array>
#include <cstdint>

#include "schedule/builder.hpp"

namespace stretto {

class Partial {
 public:
  enum class Order : std::uint8_t { rank, any };  // in which operands may be combined
  static Order order_of(const Shape& shape) { return shape.commutative ? Order::any : Order::rank; }

  Partial(Builder& step, const Shape& shape, bool result_here, Order order)
      : Partial(step, shape.count, result_here, order) {}
  // Of vectors of `length` elements.
  Partial(Builder& step, Count length, bool result_here, Order order)
      : Partial(step, step.input({0, length}), home_of(result_here, length),
                {Buffer::scratch, {result_here ? 0 : length, length}}, order) {}
  // What there is so far lies in `input`, or is home already, or in the spare vector.
  Partial(Builder& step, const Region& input, const Region& home, const Region& spare, Order order)
      : step_(step), order_(order), vectors_{input, home, spare} {
    if (input == home) place_ = Place::home;
    if (input == spare) place_ = Place::spare;
  }

  // This rank's partial result.
  [[nodiscard]] Region at(const Span& span) const { return region(place_, span); }

  // Where to receive elements that are a peer's, to be beside these.
  [[nodiscard]] Region room(const Span& span) const { return named(at(span)); }

  // Where to receive a peer's, of the same elements, for `combine`.
  [[nodiscard]] Region landing(const Span& span) const {
    return named(region(landing_place(), span));
  }

  // Where the result is wanted.
  [[nodiscard]] Region home(const Span& span) const { return region(Place::home, span); }

  // Combines what landed with what is here; from then on `at` holds for `span`
  // only. May write `at(span)`, so sends of it belong among `after`.
  StepId combine(const Span& span, bool theirs_first, const After& after) {
    const Region mine = at(span);
    const Region theirs = region(landing_place(), span);
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
    const Region sum = named(at(span));
    After ready = after;
    ready.add(step_.copy(mine, sum));
    return step_.reduce(theirs, sum, ready);
  }

  // Brings what is here home.
  StepId settle(const Span& span, const After& after) {
    const Region from = at(span);
    place_ = Place::home;
    return step_.copy(from, at(span), after);
  }

 private:
  enum class Place : std::uint8_t { input, home, spare };

  static Region home_of(bool result_here, Count length) {
    return {result_here ? Buffer::recv : Buffer::scratch, {0, length}};
  }
  [[nodiscard]] Place landing_place() const {
    return place_ == Place::home ? Place::spare : Place::home;
  }
  [[nodiscard]] Region region(Place place, const Span& span) const {
    const Region& vector = vectors_[static_cast<std::size_t>(place)];
    return {vector.buffer, {vector.span.offset + span.offset, span.count}};
  }
  // What is received or copied there grows the scratch; nothing else comes before that.
  [[nodiscard]] Region named(const Region& region) const {
    return region.buffer == Buffer::scratch ? step_.scratch(region.span) : region;
  }

  Builder& step_;
  Order order_;
  Place place_ = Place::input;
  std::array<Region, 3> vectors_;  // by place
};

}  // namespace stretto
