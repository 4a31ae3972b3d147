// Allreduce on an intercommunicator: each group adds up its vectors, up a binomial tree to
// its first rank; the two exchange the sums and pass on what they get down the same trees.
//
// Cost, p = 2^k ranks, n elements: (2 lg(p)-1) alpha + (2 lg(p)-1) n beta + (lg(p)-1) n gamma.
// That is for groups of p/2. Any two groups; keeps rank order.
// MPI 4.1, 6.2.3 and 6.9.6.

#include "collectives/leaders.hpp"

#include "collectives/algorithm.hpp"

namespace stretto {
namespace {

Schedule build(const Shape& shape, Rank me) {
  Builder step(shape, me);
  const Group group = Group::of(shape, me);
  const Sum sum = reduce_to_leader(step, shape, group, me);
  const BinomialTree tree = group.tree(me);
  const Region result = step.output({0, shape.count});

  StepId got = kNoStep;
  if (me == group.leader) {
    const Rank other = Group::other_than(shape, me).leader;
    step.send(other, sum.where, after(sum.ready));
    got = step.recv(other, result);
  } else {
    got = step.recv(group.leader + tree.parent(), result);
  }
  for (const auto& child : tree.children_far_first()) {
    step.send(group.leader + child.rank, result, after(got));
  }
  return step.finish();
}

}  // namespace

extern const Algorithm allreduce_leaders;
const Algorithm allreduce_leaders{
    .collective = Collective::allreduce, .name = "leaders", .build = build, .two_groups = true};

}  // namespace stretto
