// Two-level scatter: a binomial tree between hosts, of one rank each, from the root, which stands
// for its host, then a binomial tree on every host.
//
// Cost, p = 2^k ranks, h a host, n elements: lg(p) alpha + (p-1) n beta.
// For short blocks and several ranks a host: each host gets its blocks together, whatever its
// ranks' numbers are. Any p, any root; ranks may lie on hosts in any way. What is for ranks that do
// not follow each other goes through scratch at the root. Karonis, de Supinski, Foster, Gropp, Lusk
// and Bresnahan, "Exploiting hierarchy in parallel computer networks to optimize collective
// operation performance", IPDPS 2000.

#include "collectives/algorithm.hpp"
#include "collectives/block_runs.hpp"
#include "collectives/host_trees.hpp"
#include "collectives/two_level_times.hpp"
#include "collectives/two_levels.hpp"

namespace stretto {
namespace {

void send(Builder& step, Rank to, const BlockRuns& blocks, Count place) {
  if (blocks.are_one()) {
    step.send(to, step.input(blocks.in_all()));
    return;
  }
  const Region packed = step.scratch({place, blocks.span().count});
  step.send(to, packed, after(pack(step, blocks, step.input({}), packed)));
}

void hand_out_at_root(Builder& step, const TwoLevels& levels, const Shape& shape) {
  const HostTrees trees(levels);
  const Count n = shape.count;
  step.among(levels.between_hosts().ranks, [&] {
    for (const auto& child : trees.hosts.children_far_first()) {
      BlockRuns blocks(n);
      blocks.add_hosts(levels, levels.root_host() + child.first, child.subtree_size);
      send(step, child.rank, blocks, trees.of_hosts_child(child).offset * n);
    }
  });
  step.among(levels.on_host().ranks, [&] {
    for (const auto& child : trees.host.children_far_first()) {
      BlockRuns blocks(n);
      blocks.add_members(levels.on_host(), levels.first() + child.first, child.subtree_size);
      send(step, child.rank, blocks, child.first * n);
    }
  });
  if (!shape.in_place) step.copy(step.input({shape.root * n, n}), step.output({0, n}));
}

Schedule build(const Shape& shape, const Layout& layout, Rank me) {
  Builder step(shape, me);
  const TwoLevels levels(shape, layout, me);
  if (me == shape.root) {
    hand_out_at_root(step, levels, shape);
    return step.finish();
  }
  const HostTrees trees(levels);
  const Count n = shape.count;
  // Who hands nothing on receives its own block where it belongs.
  const bool is_alone = trees.all().count == 1;
  const auto held = [&](const Span& blocks) {
    const Span span{blocks.offset * n, blocks.count * n};
    return is_alone ? step.output(span) : step.scratch(span);
  };
  After here;
  if (levels.is_first()) {
    step.among(levels.between_hosts().ranks, [&] {
      here = after(step.recv(trees.hosts.parent(), held(trees.all())));
      for (const auto& child : trees.hosts.children_far_first()) {
        step.send(child.rank, held(trees.of_hosts_child(child)), here);
      }
    });
  }
  step.among(levels.on_host().ranks, [&] {
    if (!levels.is_first()) here = after(step.recv(trees.host.parent(), held(trees.all())));
    for (const auto& child : trees.host.children_far_first()) {
      step.send(child.rank, held(trees.of_host_child(child)), here);
    }
  });
  step.copy(held({0, 1}), step.output({0, n}), here);
  return step.finish();
}

double time(const Shape& shape, const Network& network) {
  const TwoLevelTimes times(network, shape.size);
  return times.between_hosts(Way::down, 0, times.ranks_on_host * shape.count) +
         times.on_host(Way::down, 0, shape.count);
}

}  // namespace

extern const Algorithm scatter_two_level;
const Algorithm scatter_two_level{.collective = Collective::scatter,
                                  .name = "two_level",
                                  .build = build,
                                  .time = time,
                                  .uses_layout = true};

}  // namespace stretto
