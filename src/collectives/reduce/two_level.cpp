// Two-level reduce: a binomial tree on every host, to its first rank, then one between these, up to
// the root, which stands for its host.
//
// Cost, p = 2^k ranks, h a host, n elements: lg(p) alpha + lg(p) n beta + lg(p) n gamma.
// For several ranks a host: each host sends one vector, whatever its ranks' numbers are, where a
// tree of all ranks crosses between hosts as they come. A segment goes on while the next ones come.
// Any p, any root; ranks may lie on hosts in any way.
// Keeps rank order: not commutative, the trees grow from rank 0, on runs of ranks that follow each
// other on a host (see TwoLevels), and another root gets the result in one more message.
// Karonis, de Supinski, Foster, Gropp, Lusk and Bresnahan, "Exploiting hierarchy in parallel
// computer networks to optimize collective operation performance", IPDPS 2000.

#include "collectives/algorithm.hpp"
#include "collectives/reduce/up_tree.hpp"
#include "collectives/two_level_times.hpp"
#include "collectives/two_levels.hpp"

namespace stretto {
namespace {

// The sums of hosts, in the order of the tree's, to the one that is first of all. Returns where it
// is there, and elsewhere when it is passed on.
Sum add_hosts(Builder& step, const Shape& shape, const TwoLevels& levels, const Sum& own,
              const Span& segment) {
  const BinomialTree hosts = levels.between_hosts().tree(levels.root_host());
  // The first slots are those of the host's own ranks.
  const auto used = std::ssize(levels.on_host().tree(levels.first()).children_near_first());
  const auto slot = [&](Count child, bool) {
    return step.scratch({(used + child) * shape.count + segment.offset, segment.count});
  };
  Sum sum = add_children(step, hosts, own, slot);
  if (!hosts.is_root()) sum.ready = step.send(hosts.parent(), sum.where, after(sum.ready));
  return sum;
}

Schedule build(const Shape& shape, const Layout& layout, Rank me) {
  Builder step(shape, me);
  const TwoLevels levels(shape, layout, me);
  const RanksAmong& host = levels.on_host();
  const RanksAmong& hosts = levels.between_hosts();
  const Rank top = shape.commutative ? shape.root : 0;
  write_segments(step, shape, [&](const Span& segment, StepId before) {
    const Sum own{step.input(segment), before};
    Sum sum = step.among(host.ranks, [&] {
      return sum_up(step, host.tree(levels.first()), own, segment, shape.count);
    });
    if (levels.is_first()) {
      sum = step.among(hosts.ranks, [&] { return add_hosts(step, shape, levels, sum, segment); });
    }
    if (me == top && me == shape.root) {
      step.copy(sum.where, step.output(segment), after(sum.ready));
    } else if (me == top) {
      step.send(shape.root, sum.where, after(sum.ready));
    } else if (me == shape.root) {
      // In place, what was passed on may lie where the result will.
      step.recv(top, step.output(segment), after(sum.ready));
    }
  });
  return step.finish();
}

double time(const Shape& shape, const Network& network) {
  const TwoLevelTimes times(network, shape.size);
  const auto up = [&](Count bytes) {
    const double work = network.reduce(bytes);
    return times.on_host(Way::up, bytes, 0, work) + times.between_hosts(Way::up, bytes, 0, work);
  };
  return TwoLevelTimes::segments(shape, up, [&](Count bytes) {
    return times.busy(bytes, {.added = times.rounds_on_host()}, {.added = times.rounds_between()});
  });
}

}  // namespace

extern const Algorithm reduce_two_level;
const Algorithm reduce_two_level{.collective = Collective::reduce,
                                 .name = "two_level",
                                 .build = build,
                                 .time = time,
                                 .uses_segment = true,
                                 .uses_layout = true};

}  // namespace stretto
