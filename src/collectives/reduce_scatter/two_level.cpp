// Two-level reduce-scatter: on every host the vectors are added up in halves, to its first rank;
// these swap halves of the sums until each has its host's part, which it scatters down a binomial
// tree.
//
// Cost, p = 2^k ranks, h a host, n elements: (lg(p)+2lg(h)) alpha + (p-1) n beta +
// 2p(h-1)/h n beta + p(h-1)/h n gamma + (p-h) n gamma.
// For several ranks a host: each host sends its sums once, where among all ranks each of its ranks
// sends its own. Any p; ranks may lie on hosts in any way, and where those of one do not follow
// each other its first rank puts the blocks in order. Keeps rank order: an operation that does not
// commute is taken host by host only as far as their ranks follow each other (see TwoLevels).
// Graham and Shipman, "MPI support for multi-core architectures: optimized shared memory
// collectives", EuroPVM/MPI 2008.

#include "collectives/algorithm.hpp"
#include "collectives/block_runs.hpp"
#include "collectives/reduce/up_halves.hpp"
#include "collectives/reduce/up_tree.hpp"
#include "collectives/reduce_scatter/halving.hpp"
#include "collectives/two_level_times.hpp"
#include "collectives/two_levels.hpp"

namespace stretto {

extern const Algorithm reduce_rabenseifner;
extern const Algorithm reduce_scatter_recursive_halving;

namespace {

// Of all of the host's vectors, at its first rank; elsewhere it is ready when this rank's vector
// may be overwritten.
Sum sum_of_host(Builder& step, const Shape& shape, const RanksAmong& host, const Span& all) {
  if (host.size == 1) return {step.input(all)};
  Partial partial{step, all.count, false, Partial::order_of(shape)};
  const After done = step.among(host.ranks, [&] {
    return sum_up_by_halves(step, host.size, host.me, 0, partial, all.count);
  });
  return {partial.home(all), step.join(done)};
}

// What is left of the sums of all hosts for this one.
Portion add_hosts(Builder& step, const Shape& shape, const TwoLevels& levels, Sum sum,
                  const Span& all) {
  // Two in scratch, of which the first may be where the sum is.
  const auto vector = [&](Count number) {
    return Region{Buffer::scratch, {number * all.count, all.count}};
  };
  Region home = vector(1);
  if (!levels.in_rank_order()) {
    BlockRuns blocks(shape.count);
    blocks.add_hosts(levels, 0, levels.hosts());
    const Region packed = step.scratch(home.span);
    sum = {packed, step.join(after(pack(step, blocks, sum.where, packed, after(sum.ready))))};
    home = vector(0);
  }
  const RanksAmong& hosts = levels.between_hosts();
  const auto begin = [&](int host) { return levels.ranks_before(host) * shape.count; };
  // Who is folded away adds nothing up.
  const Region foldeds = step.scratch({home.span.offset, begin(hosts.me + 1) - begin(hosts.me)});
  const Region spare = sum.where.buffer == Buffer::scratch ? sum.where : vector(0);
  Partial partial{step, sum.where, home, spare, Partial::order_of(shape)};
  return step.among(hosts.ranks, [&] {
    return reduce_scatter_by_halving(step, shape, hosts.size, hosts.me, begin, partial,
                                     {.foldeds = foldeds, .others_offset = 2 * all.count},
                                     sum.ready);
  });
}

Schedule build(const Shape& shape, const Layout& layout, Rank me) {
  Builder step(shape, me);
  const TwoLevels levels(shape, layout, me);
  const RanksAmong& host = levels.on_host();
  const Count n = shape.count;
  const Span all{0, shape.size * n};
  const Region result = step.output({0, n});
  const BinomialTree tree = host.tree();
  const Sum sum = sum_of_host(step, shape, host, all);
  Portion own{.where = {}, .ready = {sum.ready}};
  if (levels.is_first()) own = add_hosts(step, shape, levels, sum, all);
  // Who hands nothing on receives its own block where it belongs.
  const auto held = [&](const BinomialTree::Node& node) {
    const Span blocks{(node.first - tree.relative()) * n, node.subtree_size * n};
    if (tree.is_root()) return part_of(own.where, blocks);
    return tree.is_leaf() ? step.output(blocks) : step.scratch(blocks);
  };
  const After here =
      step.among(host.ranks, [&] { return send_down(step, tree, held, after(own.ready)); });
  if (tree.is_root() || !tree.is_leaf()) {
    step.copy(part_of(held(tree.self()), {0, n}), result, here);
  }
  return step.finish();
}

double time(const Shape& shape, const Network& network) {
  const TwoLevelTimes times(network, shape.size);
  const Count all = shape.size * shape.count;
  const double sum = reduce_rabenseifner.time(
      {.collective = Collective::reduce, .size = times.ranks_on_host, .count = all}, times.host);
  const double between =
      reduce_scatter_recursive_halving.time({.collective = Collective::reduce_scatter,
                                             .size = times.number_of_hosts,
                                             .count = all / times.number_of_hosts,
                                             .commutative = shape.commutative},
                                            times.hosts);
  return (times.ranks_on_host == 1 ? 0 : sum) + between + times.on_host(Way::down, 0, shape.count);
}

}  // namespace

extern const Algorithm reduce_scatter_two_level;
const Algorithm reduce_scatter_two_level{.collective = Collective::reduce_scatter,
                                         .name = "two_level",
                                         .build = build,
                                         .time = time,
                                         .uses_layout = true};

}  // namespace stretto
