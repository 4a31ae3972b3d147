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
    const CyclicRun ranks{shape.size, child.rank, child.subtree_size};
    const Span straight{child.rank * n, ranks.straight() * n};
    if (ranks.wrapped() == 0) {
      step.send(child.rank, step.input(straight));
      continue;
    }
    const Span wrapped{0, ranks.wrapped() * n};
    const StepId head = step.copy(step.input(straight), step.scratch({0, straight.count}));
    const StepId tail =
        step.copy(step.input(wrapped), step.scratch({straight.count, wrapped.count}));
    step.send(child.rank, step.scratch({0, child.subtree_size * n}), after(head, tail));
  }
  if (!shape.in_place) step.copy(step.input({shape.root * n, n}), step.output({0, n}));
}

void receive_and_hand_on(Builder& step, const BinomialTree& tree, Count n) {
  if (tree.is_leaf()) {
    step.recv(tree.parent(), step.output({0, n}));
    return;
  }
  const After here = send_down(step, tree, [&](const BinomialTree::Node& node) {
    return step.scratch({(node.first - tree.relative()) * n, node.subtree_size * n});
  });
  step.copy(step.scratch({0, n}), step.output({0, n}), here);
}

Schedule build(const Shape& shape, const Layout& /*layout*/, Rank me) {
  Builder step(shape, me);
  const BinomialTree tree{shape.size, shape.root, me};
  if (tree.is_root()) {
    hand_out_at_root(step, tree, shape);
  } else {
    receive_and_hand_on(step, tree, shape.count);
  }
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
