// K-nomial-tree broadcast: every rank that has the data passes it on to k-1 new
// ranks a level, so the number of holders grows k-fold each level.
//
// Cost, p ranks, n elements: (k-1) logk(p) alpha + (k-1) logk(p) n beta.
// For short messages where starting one is much cheaper than waiting for it: the
// k-1 messages of a level overlap in flight, and there are fewer levels than
// binomial (k = 2) has. Any p, any root; Shape::radix is k. Where p is no power of
// k the top level is not full, and the root sends that much less.
// Wilkins, Wang, Liu, Pham, Guo, Thakur, Dinda and Hardavellas, "Generalized
// collective algorithms for the exascale era", IEEE CLUSTER 2023.

#include "patterns/knomial.hpp"

#include "collectives/algorithm.hpp"
#include "collectives/bcast/down_tree.hpp"
#include "collectives/times.hpp"

namespace stretto {
namespace {

Schedule build(const Shape& shape, const Layout& /*layout*/, Rank me) {
  Builder step(shape, me);
  const Region all = step.output({0, shape.count});
  send_down(step, KnomialTree{shape.size, shape.root, me, shape.radix},
            [&](const auto&) { return all; });
  return step.finish();
}

double time(const Shape& shape, const Network& network) {
  return knomial(network, 0, shape.size, shape.radix, shape.count);
}

}  // namespace

extern const Algorithm bcast_knomial;
const Algorithm bcast_knomial{.collective = Collective::bcast,
                              .name = "knomial",
                              .build = build,
                              .time = time,
                              .uses_radix = true};

}  // namespace stretto
