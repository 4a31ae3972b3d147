// Writes a schedule step by step; what every algorithm file is written with.
//
//   Builder step(shape, me);
//   const StepId got = step.recv(parent, step.output({0, n}));
//   step.send(child, step.output({0, n}), after(got));
//   return step.finish();
//
// Steps without elements are not emitted: a data step of zero elements stands
// for its dependencies, so an algorithm needs no `if (count > 0)`. (Messages that
// carry no data on purpose, as in a barrier, are `signal` and `await`.)
#pragma once

#include <vector>

#include "schedule/after.hpp"
#include "schedule/ordinals.hpp"
#include "schedule/schedule.hpp"

namespace stretto {

class Builder {
 public:
  Builder(const Shape& shape, Rank me);

  // This rank's own data: the send buffer, or where MPI_IN_PLACE says it lies in
  // the receive buffer (gather, allgather: this rank's own block; otherwise at
  // the same offset). Bcast has one buffer, the receive buffer; it is the root's
  // input, so the root never writes it. In a scatter in place the root still sends
  // from the send buffer and has no receive buffer: its own block stays.
  [[nodiscard]] Region input(Span span) const;
  // The receive buffer.
  [[nodiscard]] Region output(Span span) const;
  // Scratch space; grows to hold whatever is named.
  [[nodiscard]] Region scratch(Span span);

  StepId send(Rank peer, Region from, const After& after = {});
  StepId recv(Rank peer, Region to, const After& after = {});
  StepId copy(Region from, Region to, const After& after = {});    // elided where from == to
  StepId reduce(Region from, Region to, const After& after = {});  // to = from op to
  StepId signal(Rank peer, const After& after = {});               // a message of no elements
  StepId await(Rank peer, const After& after = {});                // its receive
  // One id that stands for all of `after` (none: kNoStep).
  StepId join(const After& after);

  [[nodiscard]] Schedule finish();

 private:
  StepId add(Step step, const After& after);

  Schedule schedule_;
  Ordinals sent_;      // messages so far to each peer
  Ordinals received_;  // and from each
};

}  // namespace stretto
