// Binomial-tree broadcast: every rank that has the data passes it on, the far
// half of its subtree first, so the number of holders doubles each round.
//
// Cost, p ranks, n elements: lg(p) alpha + lg(p) n beta.
// Good for short messages: fewest rounds. Long ones travel lg(p) times over the
// root's link; see scatter_allgather and chain. Any p, any root.
// Thakur, Rabenseifner and Gropp, "Optimization of collective communication
// operations in MPICH", IJHPCA 19(1), 2005.

#include "patterns/binomial.hpp"

#include "collectives/algorithm.hpp"
#include "collectives/bcast/down_tree.hpp"
#include "collectives/times.hpp"

namespace stretto {
namespace {

Schedule build(const Shape& shape, const Layout& /*layout*/, Rank me) {
  Builder step(shape, me);
  const Region all = step.output({0, shape.count});
  send_down(step, BinomialTree{shape.size, shape.root, me}, [&](const auto&) { return all; });
  return step.finish();
}

double time(const Shape& shape, const Network& network) {
  return tree(network, shape.size, Way::down, shape.count, 0, 0);
}

}  // namespace

extern const Algorithm bcast_binomial;
const Algorithm bcast_binomial{
    .collective = Collective::bcast, .name = "binomial", .build = build, .time = time};

}  // namespace stretto
