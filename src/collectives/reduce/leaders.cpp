// Reduce on an intercommunicator: the remote group's vectors are added up a binomial tree
// to its first rank, which sends the sum to the root. The root's own group has no part.
//
// Cost, p = 2^k ranks, n elements: lg(p) alpha + lg(p) n beta + (lg(p)-1) n gamma.
// That is for groups of p/2. Any two groups, any root; keeps rank order.
// MPI 4.1, 6.2.3 and 6.9.1.

#include "collectives/leaders.hpp"

#include "collectives/algorithm.hpp"

namespace stretto {
namespace {

Schedule build(const Shape& shape, Rank me) {
  Builder step(shape, me);
  const Group group = Group::of(shape, me);
  if (group.has(shape.root)) {
    const Rank from = Group::other_than(shape, me).leader;
    if (me == shape.root) step.recv(from, step.output({0, shape.count}));
    return step.finish();
  }
  const Sum sum = reduce_to_leader(step, shape, group, me);
  if (me == group.leader) step.send(shape.root, sum.where, after(sum.ready));
  return step.finish();
}

}  // namespace

extern const Algorithm reduce_leaders;
const Algorithm reduce_leaders{
    .collective = Collective::reduce, .name = "leaders", .build = build, .two_groups = true};

}  // namespace stretto
