// Binomial-tree reduce: every node adds its children's partial results to its
// own, the smallest subtree first, and passes the sum up.
//
// Cost, p ranks, n elements: lg(p) alpha + lg(p) n beta + lg(p) n gamma.
// Good for short messages. Any p, any root.
// Keeps rank order: not commutative, the tree grows from rank 0, and another root
// gets the result in one more message.
// Thakur, Rabenseifner and Gropp, "Optimization of collective communication
// operations in MPICH", IJHPCA 19(1), 2005.

#include "collectives/algorithm.hpp"
#include "collectives/reduce/up_tree.hpp"
#include "collectives/reduce/upward.hpp"
#include "collectives/times.hpp"

namespace stretto {
namespace {

Schedule build(const Shape& shape, const Layout& /*layout*/, Rank me) {
  Builder step(shape, me);
  Upward upward{step, shape, me};
  const BinomialTree tree{shape.size, Upward::top(shape), me};
  const Span all{0, shape.count};
  const auto landing = [&](Count child, bool last) {
    return upward.landing(all, {child * shape.count, shape.count}, last);
  };
  const Sum own{.where = step.input(all), .stays = upward.is_home()};
  const Sum sum = add_children(step, tree, own, landing);
  upward.pass_on(tree.parent(), sum.where, all, sum.ready);
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
