// Ring allreduce: reduce-scatter around the ring, then allgather around it.
//
// Cost, p ranks, n elements: 2(p-1) alpha + 2n(p-1)/p beta + n(p-1)/p gamma.
// Bandwidth-optimal, so for long vectors; latency grows with p. Any p, any count.
// Adds in ring order, not rank order: commutative operations only.
// Patarasuk and Yuan, "Bandwidth optimal all-reduce algorithms for clusters of
// workstations", JPDC 69(2), 2009.

#include "patterns/ring.hpp"

#include <vector>

#include "collectives/algorithm.hpp"
#include "patterns/blocks.hpp"
#include "schedule/builder.hpp"

namespace stretto {
namespace {

Schedule build(const Shape& shape, Rank me) {
  Builder step(shape, me);
  const Ring ring{shape.size, me};
  const Ring ahead{shape.size, ring.next()};
  const Blocks blocks{shape.count, shape.size};
  if (shape.size == 1) step.copy(step.input(blocks[0]), step.output(blocks[0]));

  // Round r sends block me-r and adds to block me-r-1: block me+1 becomes complete.
  std::vector<StepId> sent;
  StepId ready = kNoStep;
  for (int round = 0; round + 1 < shape.size; ++round) {
    const Span leaving = blocks[ring.before(round)];
    const Region partial = round == 0 ? step.input(leaving) : step.output(leaving);
    sent.push_back(step.send(ring.next(), partial, after(ready)));

    // Nothing need be copied: what arrives lands where the sum goes, or, if our own
    // addend is there already, in scratch.
    const Span arriving = blocks[ring.before(round + 1)];
    const Region theirs = shape.in_place ? step.scratch(arriving) : step.output(arriving);
    const Region addend = shape.in_place ? theirs : step.input(arriving);
    const StepId received = step.recv(ring.previous(), theirs);
    ready = step.reduce(addend, step.output(arriving), after(received));
  }
  for (int round = 0; round + 1 < shape.size; ++round) {
    const Region leaving = step.output(blocks[ahead.before(round)]);
    const Region arriving = step.output(blocks[ring.before(round)]);
    step.send(ring.next(), leaving, after(ready));
    ready = step.recv(ring.previous(), arriving, after(sent[static_cast<std::size_t>(round)]));
  }
  return step.finish();
}

}  // namespace

extern const Algorithm allreduce_ring;
const Algorithm allreduce_ring{
    .collective = Collective::allreduce, .name = "ring", .build = build, .keeps_rank_order = false};

}  // namespace stretto
