// Scatter-allgather broadcast: the root's vector is scattered down a binomial
// tree, then the blocks go round a ring until every rank has them all.
//
// Cost, p ranks, n elements: lg(p) alpha + (p-1) alpha + 2n(p-1)/p beta.
// For long vectors: every rank moves the vector about twice, whatever p. Any p,
// any root. A block is not sent to a rank that already got it in the scatter, so
// the root receives nothing.
// Van de Geijn; see Barnett, Gupta, Payne, Shuler, van de Geijn and Watts,
// "Interprocessor collective communication library", SHPCC 1994.

#include <vector>

#include "collectives/algorithm.hpp"
#include "collectives/times.hpp"
#include "collectives/window.hpp"
#include "patterns/binomial.hpp"
#include "patterns/blocks.hpp"
#include "patterns/ring.hpp"
#include "schedule/builder.hpp"

namespace stretto {
namespace {

Schedule build(const Shape& shape, Rank me) {
  Builder step(shape, me);
  const BinomialTree tree{shape.size, shape.root, me};
  const Blocks blocks{shape.count, shape.size};  // block i starts out at relative number i
  const auto run = [&](const auto& node) {
    return step.output(blocks.run(node.first, node.subtree_size));
  };

  StepId scattered = kNoStep;
  if (!tree.is_root()) scattered = step.recv(tree.parent(), run(tree.self()));
  for (const auto& child : tree.children_far_first()) {
    step.send(child.rank, run(child), after(scattered));
  }

  const Ring ring{shape.size, me};
  const Ring relative{shape.size, tree.relative()};
  const BinomialTree next{shape.size, shape.root, ring.next()};
  StepId arrived = kNoStep;
  Window sends;
  Window receives;
  for (int round = 0; round + 1 < shape.size; ++round) {
    const int leaving = relative.before(round);
    const int arriving = relative.before(round + 1);
    if (!next.covers(leaving)) {
      // In the ring's order even if the block has been here since the scatter: sent
      // early, it would hold up one that the ranks further on wait for.
      const After here = after(scattered, arrived, sends.before_next());
      sends.add(step.send(ring.next(), step.output(blocks[leaving]), here));
    }
    if (tree.covers(arriving)) continue;
    const After free = after(receives.before_next());
    arrived = receives.add(step.recv(ring.previous(), step.output(blocks[arriving]), free));
  }
  return step.finish();
}

double time(const Shape& shape, const Network& network) {
  const Count block = blocks_of(shape);
  return tree(network, shape.size, Way::down, 0, block, 0) +
         network.ring(shape.size, shape.size - 1, block, 0);
}

}  // namespace

extern const Algorithm bcast_scatter_allgather;
const Algorithm bcast_scatter_allgather{
    .collective = Collective::bcast, .name = "scatter_allgather", .build = build, .time = time};

}  // namespace stretto
