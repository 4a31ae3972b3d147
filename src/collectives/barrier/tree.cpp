// Tree barrier: arrivals are collected up a binomial tree, the release goes back
// down it.
//
// Cost, p ranks, n elements: 2 lg(p) alpha.
// Only 2(p-1) messages in all, so for crowded links and ranks that outnumber the
// cores; on idle hardware dissemination takes half the rounds. Any p.
// Mellor-Crummey and Scott, "Algorithms for scalable synchronization on
// shared-memory multiprocessors", ACM TOCS 9(1), 1991.

#include "collectives/algorithm.hpp"
#include "collectives/barrier/signals.hpp"
#include "collectives/times.hpp"
#include "schedule/builder.hpp"

namespace stretto {
namespace {

Schedule build(const Shape& shape, const Layout& /*layout*/, Rank me) {
  Builder step(shape, me);
  const BinomialTree tree{shape.size, 0, me};
  release(step, tree, after(collect_arrivals(step, tree)));
  return step.finish();
}

double time(const Shape& shape, const Network& network) {
  return 2 * tree(network, shape.size, Way::up, 0, 0, 0);
}

}  // namespace

extern const Algorithm barrier_tree;
const Algorithm barrier_tree{
    .collective = Collective::barrier, .name = "tree", .build = build, .time = time};

}  // namespace stretto
