// Scatter-allgather broadcast: the root's vector is scattered down a binomial
// tree, then the blocks go round a ring until every rank has them all.
//
// Cost, p ranks, n elements: lg(p) alpha + (p-1) alpha + 2n(p-1)/p beta.
// For long vectors: every rank moves the vector about twice, whatever p. Any p,
// any root. A block is not sent to a rank that already got it in the scatter, so
// the root receives nothing.
// Van de Geijn; see Barnett, Gupta, Payne, Shuler, van de Geijn and Watts,
// "Interprocessor collective communication library", SHPCC 1994.

#include "collectives/algorithm.hpp"
#include "collectives/allgather/around_ring.hpp"
#include "collectives/bcast/down_tree.hpp"
#include "collectives/times.hpp"
#include "patterns/binomial.hpp"
#include "patterns/blocks.hpp"

namespace stretto {
namespace {

Schedule build(const Shape& shape, const Layout& /*layout*/, Rank me) {
  Builder step(shape, me);
  const BinomialTree tree{shape.size, shape.root, me};
  const Blocks blocks{shape.count, shape.size};  // block i starts out at relative number i
  const After scattered = send_down(step, tree, [&](const BinomialTree::Node& node) {
    return step.output(blocks.run(node.first, node.subtree_size));
  });

  const Ring ring{shape.size, me};
  const Ring relative{shape.size, tree.relative()};
  const BinomialTree next{shape.size, shape.root, ring.next()};
  const auto missing = [&](const BinomialTree& node, int block) {
    return node.covers(block) ? Pieces::none() : Pieces{step.output(blocks[block])};
  };
  Windows window;
  pass_round(
      step, ring, relative, blocks.first_empty(), window, step.join(scattered), {kNoStep},
      [&](int block) { return missing(next, block); },
      [&](int block) { return missing(tree, block); }, [](int, Count) { return kNoStep; });
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
