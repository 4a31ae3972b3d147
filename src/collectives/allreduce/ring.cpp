// Ring allreduce: reduce-scatter around the ring, then allgather around it.
//
// Cost, p ranks, n elements: 2(p-1) alpha + 2n(p-1)/p beta + n(p-1)/p gamma.
// Bandwidth-optimal, so for long vectors; latency grows with p. Any p, any count.
// A block longer than a segment goes as several messages: more alpha, but the sum of one
// overlaps the others, and messages short enough to be sent unasked need no handshake.
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

std::size_t idx(Count i) { return static_cast<std::size_t>(i); }

Schedule build(const Shape& shape, Rank me) {
  Builder step(shape, me);
  const Ring ring{shape.size, me};
  const Ring ahead{shape.size, ring.next()};
  const Blocks blocks{shape.count, shape.size};
  if (shape.size == 1) step.copy(step.input(blocks[0]), step.output(blocks[0]));

  // Round r sends block me-r and adds to block me-r-1: block me+1 becomes complete. The
  // segments of a block go round side by side.
  const auto segments = [&](int block) { return Segments{blocks[block], shape.segment}; };
  std::vector<std::vector<StepId>> sent;
  std::vector<StepId> ready(idx(segments(me).size()), kNoStep);  // to leave, by segment
  for (int round = 0; round + 1 < shape.size; ++round) {
    const Segments leaving = segments(ring.before(round));
    sent.emplace_back();
    for (Count i = 0; i < leaving.size(); ++i) {
      const Region partial = round == 0 ? step.input(leaving[i]) : step.output(leaving[i]);
      sent.back().push_back(step.send(ring.next(), partial, after(ready[idx(i)])));
    }
    // Nothing need be copied: what arrives lands where the sum goes, or, if our own
    // addend is there already, in scratch.
    const Segments arriving = segments(ring.before(round + 1));
    ready.clear();
    for (Count i = 0; i < arriving.size(); ++i) {
      const Region sum = step.output(arriving[i]);
      const Region theirs = shape.in_place ? step.scratch(arriving[i]) : sum;
      const Region addend = shape.in_place ? theirs : step.input(arriving[i]);
      const StepId received = step.recv(ring.previous(), theirs);
      ready.push_back(step.reduce(addend, sum, after(received)));
    }
  }
  for (int round = 0; round + 1 < shape.size; ++round) {
    const Segments leaving = segments(ahead.before(round));
    for (Count i = 0; i < leaving.size(); ++i) {
      step.send(ring.next(), step.output(leaving[i]), after(ready[idx(i)]));
    }
    const Segments arriving = segments(ring.before(round));
    ready.clear();
    for (Count i = 0; i < arriving.size(); ++i) {
      const After unused = after(sent[idx(round)][idx(i)]);
      ready.push_back(step.recv(ring.previous(), step.output(arriving[i]), unused));
    }
  }
  return step.finish();
}

}  // namespace

extern const Algorithm allreduce_ring;
const Algorithm allreduce_ring{.collective = Collective::allreduce,
                               .name = "ring",
                               .build = build,
                               .keeps_rank_order = false,
                               .uses_segment = true};

}  // namespace stretto
