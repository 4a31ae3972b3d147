// Binomial-tree reduce: every node adds its children's partial results to its
// own, the smallest subtree first, and passes the sum up.
//
// Cost, p ranks, n elements: lg(p) alpha + lg(p) n beta + lg(p) n gamma.
// Good for short messages. Any p, any root. Each child has its own scratch, so a
// late child keeps none of its siblings waiting.
// Keeps rank order: not commutative, the tree grows from rank 0, and another root
// gets the result in one more message.
// Thakur, Rabenseifner and Gropp, "Optimization of collective communication
// operations in MPICH", IJHPCA 19(1), 2005.

#include "patterns/binomial.hpp"

#include "collectives/algorithm.hpp"
#include "collectives/reduce/upward.hpp"
#include "collectives/times.hpp"
#include "schedule/builder.hpp"

namespace stretto {
namespace {

Schedule build(const Shape& shape, Rank me) {
  Builder step(shape, me);
  Upward upward{step, shape, me};
  const BinomialTree tree{shape.size, Upward::top(shape), me};
  const auto children = tree.children_near_first();
  const Span all{0, shape.count};

  Region partial = step.input(all);
  StepId ready = kNoStep;
  Span slot = all;
  for (const auto& child : children) {
    const Region theirs = upward.landing(all, slot, &child == &children.back());
    const StepId received = step.recv(child.rank, theirs);
    ready = step.reduce(partial, theirs, after(ready, received));
    partial = theirs;
    slot.offset += shape.count;
  }
  upward.pass_on(tree.parent(), partial, all, ready);
  return step.finish();
}

double time(const Shape& shape, const Network& network) {
  return tree(network, shape.size, Way::up, shape.count, 0, network.reduce(shape.count));
}

}  // namespace

extern const Algorithm reduce_binomial;
const Algorithm reduce_binomial{
    .collective = Collective::reduce, .name = "binomial", .build = build, .time = time};

}  // namespace stretto
