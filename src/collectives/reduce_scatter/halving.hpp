// Recursive halving among the ranks that a builder's peers are, each of which gets its part of the
// sum, whose parts may differ in length.
#pragma once

#include <vector>

#include "collectives/halved.hpp"

namespace stretto {

// A rank's part of the sum, once all of `ready` are done; so is then what reads its input.
struct Portion {
  Region where;
  std::vector<StepId> ready;
};

// Where parts are received that are not added to what is there.
struct PortionRooms {
  Region foldeds;           // its own, by a rank that is folded away
  Count others_offset = 0;  // in scratch: of an operation that does not commute, from who has it
};

// This is rank `me` of `size`; `begin(rank)` is where a rank's part begins, as far as the one after
// the last. Nothing begins before `ready`.
template <class Begin>
Portion reduce_scatter_by_halving(Builder& step, const Shape& shape, int size, Rank me,
                                  const Begin& begin, Partial& partial, const PortionRooms& rooms,
                                  StepId ready = kNoStep) {
  // A survivor's part is those of the ranks it stands for.
  struct Parts {
    const Fold& fold;
    const Begin& begin;

    [[nodiscard]] Span run(int first, int number) const {
      const Count from = begin(fold.first_rank_of(first));
      return {from, begin(fold.first_rank_of(first + number)) - from};
    }
  };
  const Fold fold = Fold::to_power_of_two(size, me);
  if (!fold.survives()) {
    const StepId sent = step.send(fold.partner(), partial.at({0, begin(size)}), after(ready));
    return {rooms.foldeds, {step.recv(fold.partner(), rooms.foldeds, after(sent))}};
  }
  const Parts parts{fold, begin};
  const auto rounds = shape.commutative ? homing_rounds(fold.survivors(), fold.number())
                                        : halving_rounds(fold.survivors(), fold.number());
  const Halved halved = reduce_by_halving(step, fold, rounds, parts, me, partial, ready);

  // In rank order another survivor's part is left, and ours with that one.
  const Span mine = parts.run(fold.number(), 1);
  Portion own{partial.at(mine), halved.given};
  StepId come = halved.done;
  if (const int left = own_block(rounds); left != fold.number()) {
    const Rank owner = fold.rank_of(left);
    own.ready.push_back(step.send(owner, partial.at(parts.run(left, 1)), after(halved.done)));
    own.where = step.scratch({rooms.others_offset, mine.count});
    come = step.recv(owner, own.where, after(halved.done));
  }
  const auto part_of_rank = [&](Rank rank) {
    const Count offset = own.where.span.offset + begin(rank) - mine.offset;
    return Region{own.where.buffer, {offset, begin(rank + 1) - begin(rank)}};
  };
  if (fold.has_partner()) step.send(fold.partner(), part_of_rank(fold.partner()), after(come));
  own.ready.push_back(come);
  own.where = part_of_rank(me);
  return own;
}

}  // namespace stretto
