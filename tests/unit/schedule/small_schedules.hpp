// The plainest correct schedules there are, to plant faults in: as they are no
// algorithm of the library, no change there moves the steps under a test.
#pragma once

#include <string_view>
#include <vector>

#include "schedule/builder.hpp"
#include "schedule/verify.hpp"

namespace stretto::testing {

// Rank 0 to 1 to 2 and so on.  Rank r: step 0 recv (not on rank 0), then send.
inline Schedule chain_bcast(const Shape& shape, const Layout& /*layout*/, Rank me) {
  Builder step(shape, me);
  const Region all = step.output({0, shape.count});
  const StepId got = me == 0 ? kNoStep : step.recv(me - 1, all);
  if (me + 1 < shape.size) step.send(me + 1, all, after(got));
  return step.finish();
}

// Everyone's block straight to the root. Root: step 0 copy, then a recv a rank.
inline Schedule linear_gather(const Shape& shape, const Layout& /*layout*/, Rank me) {
  Builder step(shape, me);
  const Span block{0, shape.count};
  if (me != shape.root) {
    step.send(shape.root, step.input(block));
    return step.finish();
  }
  for (Rank rank = 0; rank < shape.size; ++rank) {
    const Region place = step.output({rank * shape.count, shape.count});
    if (rank == me) {
      step.copy(step.input(block), place);
    } else {
      step.recv(rank, place);
    }
  }
  return step.finish();
}

// From the last rank to rank 0, the root, each adding itself on the left.
// Steps: 0 recv, 1 reduce, 2 send; rank 0 does not send, the last only sends.
inline Schedule chain_reduce(const Shape& shape, const Layout& /*layout*/, Rank me) {
  Builder step(shape, me);
  const Span all{0, shape.count};
  if (me == shape.size - 1) {
    step.send(me - 1, step.input(all));
    return step.finish();
  }
  const Region sum = me == 0 ? step.output(all) : step.scratch(all);
  const StepId got = step.recv(me + 1, sum);
  const StepId summed = step.reduce(step.input(all), sum, after(got));
  if (me > 0) step.send(me - 1, sum, after(summed));
  return step.finish();
}

// Two ranks swap their vectors. Rank 0: 0 send, 1 recv, 2 reduce its own on the
// left. Rank 1: 0 copy, 1 send, 2 recv, 3 reduce the other's on the left.
inline Schedule pair_allreduce(const Shape& shape, const Layout& /*layout*/, Rank me) {
  Builder step(shape, me);
  const Span all{0, shape.count};
  const Rank other = 1 - me;
  if (me == 0) {
    step.send(other, step.input(all));
    const StepId got = step.recv(other, step.output(all));
    step.reduce(step.input(all), step.output(all), after(got));
  } else {
    const StepId mine = step.copy(step.input(all), step.output(all));
    step.send(other, step.input(all));
    const StepId got = step.recv(other, step.scratch(all));
    step.reduce(step.scratch(all), step.output(all), after(mine, got));
  }
  return step.finish();
}

// Everyone tells rank 0, which then tells everyone. Rank 0: awaits, then signals.
inline Schedule central_barrier(const Shape& shape, const Layout& /*layout*/, Rank me) {
  Builder step(shape, me);
  if (me != 0) {
    const StepId told = step.signal(0);
    step.await(0, after(told));
    return step.finish();
  }
  std::vector<StepId> arrived;
  for (Rank rank = 1; rank < shape.size; ++rank) arrived.push_back(step.await(rank));
  const StepId everyone = step.join(after(arrived));
  for (Rank rank = 1; rank < shape.size; ++rank) step.signal(rank, after(everyone));
  return step.finish();
}

}  // namespace stretto::testing
