// Allreduce on an intercommunicator: each group adds up its vectors, up a binomial tree to
// its first rank; the two exchange the sums and pass on what they get down the same trees.
//
// Cost, p = 2^k ranks, n elements: (2 lg(p)-1) alpha + (2 lg(p)-1) n beta + (lg(p)-1) n gamma.
// That is for groups of p/2. Any two groups; keeps rank order.
// MPI 4.1, 6.2.3 and 6.9.6; MPICH's algorithm of this name.

#include "collectives/algorithm.hpp"
#include "collectives/bcast/down_tree.hpp"
#include "collectives/groups.hpp"

namespace stretto {
namespace {

Schedule build(const Shape& shape, const Layout& /*layout*/, Rank me) {
  Builder step(shape, me);
  const Group group = Group::of(shape, me);
  const Sum sum = sum_of_group(step, shape, group, me);
  const Region result = step.output({0, shape.count});

  After got;
  if (me == group.first) {
    const Rank other = Group::other_than(shape, me).first;
    step.send(other, sum.where, after(sum.ready));
    got = after(step.recv(other, result));
  }
  step.among(group.ranks(), [&] {
    return send_down(step, group.tree(me), [&](const auto&) { return result; }, got);
  });
  return step.finish();
}

}  // namespace

extern const Algorithm allreduce_reduce_exchange_bcast;
const Algorithm allreduce_reduce_exchange_bcast{.collective = Collective::allreduce,
                                                .name = "reduce_exchange_bcast",
                                                .build = build,
                                                .two_groups = true};

}  // namespace stretto
