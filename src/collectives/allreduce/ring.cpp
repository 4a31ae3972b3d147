// Ring allreduce: reduce-scatter around the ring, then allgather around it.
//
// Cost, p ranks, n elements: 2(p-1) alpha + 2n(p-1)/p beta + n(p-1)/p gamma.
// Bandwidth-optimal, so for long vectors; latency grows with p. Any p, any count.
// A block longer than a segment goes as several messages: more alpha, but the sum of one
// overlaps the others, and messages short enough to be sent unasked need no handshake.
// Adds in ring order, not rank order: commutative operations only.
// Patarasuk and Yuan, "Bandwidth optimal all-reduce algorithms for clusters of
// workstations", JPDC 69(2), 2009.

#include <algorithm>

#include "collectives/algorithm.hpp"
#include "collectives/allgather/around_ring.hpp"
#include "collectives/reduce_scatter/around_ring.hpp"
#include "collectives/times.hpp"

namespace stretto {
namespace {

Schedule build(const Shape& shape, const Layout& /*layout*/, Rank me) {
  Builder step(shape, me);
  const Ring ring{shape.size, me};
  const Blocks blocks{shape.count, shape.size};
  if (shape.size == 1) step.copy(step.input(blocks[0]), step.output(blocks[0]));

  const auto segments = [&](int block) { return Segments{blocks[block], shape.segment}; };
  const auto pieces = [&](int block) { return Pieces{step.output(blocks[block]), shape.segment}; };
  Windows window;
  const RingSums sums =
      add_round(step, ring, blocks.first_empty(), window, shape.in_place, segments);
  // A block comes over the partial sum of it that went on.
  const auto unused = [&](int block, Count segment) {
    return sums.sent[static_cast<std::size_t>(block)][static_cast<std::size_t>(segment)];
  };
  const Ring numbers{shape.size, ring.next()};
  pass_round(step, ring, numbers, blocks.first_empty(), window, kNoStep, sums.ready, pieces, pieces,
             unused);
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
