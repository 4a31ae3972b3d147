// Binomial-tree gather: every node collects its children's blocks next to its own,
// the smallest subtree first, and passes the lot up in one message.
//
// Cost, p ranks, n elements: lg(p) alpha + (p-1) n beta.
// For short blocks: the root receives lg(p) messages instead of p-1. Any p, any
// root; where the run of ranks under a child of the root wraps around past the
// last rank, its blocks go through scratch.
// Thakur, Rabenseifner and Gropp, "Optimization of collective communication
// operations in MPICH", IJHPCA 19(1), 2005.

#include "patterns/binomial.hpp"

#include <vector>

#include "collectives/algorithm.hpp"
#include "collectives/times.hpp"
#include "patterns/cyclic.hpp"
#include "schedule/builder.hpp"

namespace stretto {
namespace {

void collect_at_root(Builder& step, const BinomialTree& tree, const Shape& shape) {
  const Count n = shape.count;
  step.copy(step.input({0, n}), step.output({shape.root * n, n}));
  for (const auto& child : tree.children_near_first()) {
    const auto [straight, wrapped] = CyclicRun(shape.size, child.rank, child.subtree_size, n);
    if (wrapped.count == 0) {
      step.recv(child.rank, step.output(straight));
      continue;
    }
    const StepId received = step.recv(child.rank, step.scratch({0, child.subtree_size * n}));
    step.copy(step.scratch({0, straight.count}), step.output(straight), after(received));
    step.copy(step.scratch({straight.count, wrapped.count}), step.output(wrapped), after(received));
  }
}

Schedule build(const Shape& shape, const Layout& /*layout*/, Rank me) {
  Builder step(shape, me);
  const BinomialTree tree{shape.size, shape.root, me};
  if (tree.is_root()) {
    collect_at_root(step, tree, shape);
    return step.finish();
  }
  // A leaf sends its own block from where it is.
  const auto held = [&](int first, int number) {
    const Span blocks{(first - tree.relative()) * shape.count, number * shape.count};
    return tree.is_leaf() ? step.input(blocks) : step.scratch(blocks);
  };
  const Span own{0, shape.count};
  std::vector<StepId> here{step.copy(step.input(own), held(tree.relative(), 1))};
  for (const auto& child : tree.children_near_first()) {
    here.push_back(step.recv(child.rank, held(child.first, child.subtree_size)));
  }
  step.send(tree.parent(), held(tree.relative(), tree.subtree_size()), after(here));
  return step.finish();
}

double time(const Shape& shape, const Network& network) {
  return tree(network, shape.size, Way::up, 0, shape.count, 0);
}

}  // namespace

extern const Algorithm gather_binomial;
const Algorithm gather_binomial{
    .collective = Collective::gather, .name = "binomial", .build = build, .time = time};

}  // namespace stretto
