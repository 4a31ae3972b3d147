// Binomial-tree scatter: every node receives the blocks of its whole subtree in
// one message and hands its children theirs, the largest subtree first.
//
// Cost, p ranks, n elements: lg(p) alpha + (p-1) n beta.
// For short blocks: the root sends lg(p) messages instead of p-1. Any p, any root;
// where the run of ranks under a child of the root wraps around past the last
// rank, its blocks go through scratch.
// Thakur, Rabenseifner and Gropp, "Optimization of collective communication
// operations in MPICH", IJHPCA 19(1), 2005.

#include "patterns/binomial.hpp"

#include "collectives/algorithm.hpp"
#include "collectives/bcast/down_tree.hpp"
#include "collectives/times.hpp"
#include "patterns/cyclic.hpp"
#include "schedule/builder.hpp"

namespace stretto {
namespace {

void hand_out_at_root(Builder& step, const BinomialTree& tree, const Shape& shape) {
  const Count n = shape.count;
  for (const auto& child : tree.children_far_first()) {
    const auto [straight, wrapped] = CyclicRun(shape.size, child.rank, child.subtree_size, n);
    if (wrapped.count == 0) {
      step.send(child.rank, step.input(straight));
      continue;
    }
    const StepId head = step.copy(step.input(straight), step.scratch({0, straight.count}));
    const StepId tail =
        step.copy(step.input(wrapped), step.scratch({straight.count, wrapped.count}));
    step.send(child.rank, step.scratch({0, child.subtree_size * n}), after(head, tail));
  }
  if (!shape.in_place) step.copy(step.input({shape.root * n, n}), step.output({0, n}));
}

Schedule build(const Shape& shape, const Layout& /*layout*/, Rank me) {
  Builder step(shape, me);
  const BinomialTree tree{shape.size, shape.root, me};
  if (tree.is_root()) {
    hand_out_at_root(step, tree, shape);
    return step.finish();
  }
  // A leaf receives its own block where it belongs.
  const auto held = [&](const BinomialTree::Node& node) {
    const Span blocks{(node.first - tree.relative()) * shape.count,
                      node.subtree_size * shape.count};
    return tree.is_leaf() ? step.output(blocks) : step.scratch(blocks);
  };
  const After here = send_down(step, tree, held);
  const Span own{0, shape.count};
  if (!tree.is_leaf()) step.copy(step.scratch(own), step.output(own), here);
  return step.finish();
}

double time(const Shape& shape, const Network& network) {
  return tree(network, shape.size, Way::down, 0, shape.count, 0);
}

}  // namespace

extern const Algorithm scatter_binomial;
const Algorithm scatter_binomial{
    .collective = Collective::scatter, .name = "binomial", .build = build, .time = time};

}  // namespace stretto
