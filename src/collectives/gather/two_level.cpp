// Two-level gather: a binomial tree on every host, to its first rank, then one between these, up to
// the root, which stands for its host.
//
// Cost, p = 2^k ranks, h a host, n elements: lg(p) alpha + (p-1) n beta.
// For short blocks and several ranks a host: each host sends its blocks together, whatever its
// ranks' numbers are. Any p, any root; ranks may lie on hosts in any way. What a message brings of
// ranks that do not follow each other goes through scratch at the root.
// Karonis, de Supinski, Foster, Gropp, Lusk and Bresnahan, "Exploiting hierarchy in parallel
// computer networks to optimize collective operation performance", IPDPS 2000.

#include "collectives/algorithm.hpp"
#include "collectives/block_runs.hpp"
#include "collectives/host_trees.hpp"
#include "collectives/two_level_times.hpp"
#include "collectives/two_levels.hpp"

namespace stretto {
namespace {

void receive(Builder& step, Rank from, const BlockRuns& blocks, Count place) {
  if (blocks.are_one()) {
    step.recv(from, step.output(blocks.in_all()));
    return;
  }
  const Region landed = step.scratch({place, blocks.span().count});
  const StepId received = step.recv(from, landed);
  unpack(step, blocks, landed, step.output({}), after(received));
}

void collect_at_root(Builder& step, const TwoLevels& levels, const Shape& shape) {
  const HostTrees trees(levels);
  const Count n = shape.count;
  step.copy(step.input({0, n}), step.output({shape.root * n, n}));
  step.among(levels.on_host().ranks, [&] {
    for (const auto& child : trees.host.children_near_first()) {
      BlockRuns blocks(n);
      blocks.add_members(levels.on_host(), levels.first() + child.first, child.subtree_size);
      receive(step, child.rank, blocks, child.first * n);
    }
  });
  step.among(levels.between_hosts().ranks, [&] {
    for (const auto& child : trees.hosts.children_near_first()) {
      BlockRuns blocks(n);
      blocks.add_hosts(levels, levels.root_host() + child.first, child.subtree_size);
      receive(step, child.rank, blocks, trees.of_hosts_child(child).offset * n);
    }
  });
}

Schedule build(const Shape& shape, const Layout& layout, Rank me) {
  Builder step(shape, me);
  const TwoLevels levels(shape, layout, me);
  if (me == shape.root) {
    collect_at_root(step, levels, shape);
    return step.finish();
  }
  const HostTrees trees(levels);
  const Count n = shape.count;
  // Who has nothing to collect sends its own block from where it is.
  const bool is_alone = trees.all().count == 1;
  const auto held = [&](const Span& blocks) {
    const Span span{blocks.offset * n, blocks.count * n};
    return is_alone ? step.input(span) : step.scratch(span);
  };
  std::vector<StepId> here{step.copy(step.input({0, n}), held({0, 1}))};
  const Region all = held(trees.all());
  step.among(levels.on_host().ranks, [&] {
    for (const auto& child : trees.host.children_near_first()) {
      here.push_back(step.recv(child.rank, held(trees.of_host_child(child))));
    }
    if (!levels.is_first()) step.send(trees.host.parent(), all, after(here));
  });
  if (!levels.is_first()) return step.finish();
  step.among(levels.between_hosts().ranks, [&] {
    for (const auto& child : trees.hosts.children_near_first()) {
      here.push_back(step.recv(child.rank, held(trees.of_hosts_child(child))));
    }
    step.send(trees.hosts.parent(), all, after(here));
  });
  return step.finish();
}

double time(const Shape& shape, const Network& network) {
  const TwoLevelTimes times(network, shape.size);
  return times.on_host(Way::up, 0, shape.count) +
         times.between_hosts(Way::up, 0, times.ranks_on_host * shape.count);
}

}  // namespace

extern const Algorithm gather_two_level;
const Algorithm gather_two_level{.collective = Collective::gather,
                                 .name = "two_level",
                                 .build = build,
                                 .time = time,
                                 .uses_layout = true};

}  // namespace stretto
