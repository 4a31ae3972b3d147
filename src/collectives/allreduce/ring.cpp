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

#include <algorithm>
#include <vector>

#include "collectives/algorithm.hpp"
#include "collectives/times.hpp"
#include "collectives/window.hpp"
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
  Window sends;
  Window receives;
  std::vector<StepId> ready(idx(segments(me).size()), kNoStep);  // to leave, by segment
  for (int round = 0; round + 1 < shape.size; ++round) {
    const Segments leaving = segments(ring.before(round));
    sent.emplace_back();
    for (Count i = 0; i < leaving.size(); ++i) {
      const Region partial = round == 0 ? step.input(leaving[i]) : step.output(leaving[i]);
      const After free = after(ready[idx(i)], sends.before_next());
      sent.back().push_back(sends.add(step.send(ring.next(), partial, free)));
    }
    // Nothing need be copied: what arrives lands where the sum goes, or, if our own
    // addend is there already, in scratch.
    const Segments arriving = segments(ring.before(round + 1));
    ready.clear();
    for (Count i = 0; i < arriving.size(); ++i) {
      const Region sum = step.output(arriving[i]);
      const Region theirs = shape.in_place ? step.scratch(arriving[i]) : sum;
      const Region addend = shape.in_place ? theirs : step.input(arriving[i]);
      const After free = after(receives.before_next());
      const StepId received = receives.add(step.recv(ring.previous(), theirs, free));
      ready.push_back(step.reduce(addend, sum, after(received)));
    }
  }
  for (int round = 0; round + 1 < shape.size; ++round) {
    const Segments leaving = segments(ahead.before(round));
    for (Count i = 0; i < leaving.size(); ++i) {
      const After free = after(ready[idx(i)], sends.before_next());
      sends.add(step.send(ring.next(), step.output(leaving[i]), free));
    }
    const Segments arriving = segments(ring.before(round));
    ready.clear();
    for (Count i = 0; i < arriving.size(); ++i) {
      const After unused = after(sent[idx(round)][idx(i)], receives.before_next());
      const Region block = step.output(arriving[i]);
      ready.push_back(receives.add(step.recv(ring.previous(), block, unused)));
    }
  }
  return step.finish();
}

double time(const Shape& shape, const Network& network) {
  const int ranks = shape.size;
  const Count block = blocks_of(shape);
  const Count segment = shape.segment > 0 ? std::min(shape.segment, block) : block;
  const Count segments = (block + segment - 1) / segment;
  const auto number = static_cast<double>(segments);
  const auto rounds = static_cast<double>(ranks - 1);
  const double work = network.reduce(segment);
  const double step = network.step(ranks - 1, segment);
  const double hop = network.hop(ranks - 1, segment);
  const double added = network.period(segment, work);
  const double passed_on = network.period(segment, 0);
  // The first of a block's segments goes round twice, and the others follow it.
  const double side_by_side =
      std::max(network.ring(ranks, ranks - 1, segment, work) +
                   network.ring(ranks, ranks - 1, segment, 0) + (number - 1) * added,
               rounds * number * (added + passed_on) + hop - step);
  if (number < 3) {
    // A short second segment waits while the port takes the first one, in every round.
    const MessageCost each = Network::cost(network.tier(ranks - 1), segment);
    const bool port_bound = number > 1 && each.send + each.recv + work < each.gap;
    const double rest = network.step(ranks - 1, block - segment);
    return side_by_side + (port_bound ? 2 * rounds * std::max(0.0, step - 2 * rest) : 0);
  }
  // What is sent before anything has come keeps the processor until the port takes it; then a
  // round's messages wait until they have all come: the more, the longer. By so much as simulated.
  const double one_by_one =
      rounds * number * (2 * step + std::max(added, step + work) + std::max(passed_on, step));
  const double half = std::min(ranks - 0.6, 10.0);
  const double share =
      (number - 2) / (number - 2 + half) * std::min(1.0, (number - 1) * step / hop);
  return side_by_side + share * std::max(0.0, one_by_one - side_by_side);
}

}  // namespace

extern const Algorithm allreduce_ring;
const Algorithm allreduce_ring{.collective = Collective::allreduce,
                               .name = "ring",
                               .build = build,
                               .time = time,
                               .keeps_rank_order = false,
                               .uses_segment = true,
                               .divides = true};

}  // namespace stretto
