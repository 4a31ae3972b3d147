// Reduce on an intercommunicator: the remote group's vectors are added up a binomial tree
// to its first rank, which sends the sum to the root. The root's own group has no part.
//
// Cost, p = 2^k ranks, n elements: lg(p) alpha + lg(p) n beta + (lg(p)-1) n gamma.
// That is for groups of p/2. Any two groups, any root; keeps rank order.
// MPI 4.1, 6.2.3 and 6.9.1; MPICH's algorithm of this name.

#include "collectives/algorithm.hpp"
#include "collectives/groups.hpp"

namespace stretto {
namespace {

Schedule build(const Shape& shape, const Layout& /*layout*/, Rank me) {
  Builder step(shape, me);
  const Group group = Group::of(shape, me);
  if (group.has(shape.root)) {
    const Rank from = Group::other_than(shape, me).first;
    if (me == shape.root) step.recv(from, step.output({0, shape.count}));
    return step.finish();
  }
  const Sum sum = sum_of_group(step, shape, group, me);
  if (me == group.first) step.send(shape.root, sum.where, after(sum.ready));
  return step.finish();
}

}  // namespace

extern const Algorithm reduce_local_reduce_remote_send;
const Algorithm reduce_local_reduce_remote_send{.collective = Collective::reduce,
                                                .name = "local_reduce_remote_send",
                                                .build = build,
                                                .two_groups = true};

}  // namespace stretto
