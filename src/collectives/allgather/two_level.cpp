// Two-level allgather: a binomial tree on every host, to its first rank; these swap what they have
// with each other, twice as much each round; what each has in the end is scattered on its host and
// swapped there in the same way.
//
// Cost, p = 2^k ranks, h a host, n elements: (lg(p)+2lg(h)) alpha + (p-1) n beta +
// 2p(h-1)/h n beta.
// For several ranks a host: each host gets the others' blocks once, where among all ranks each of
// its ranks gets them. Any p, where the hosts are no power of two by Bruck's distances round the
// circle; ranks may lie on hosts in any way, and where those of one do not follow each other its
// first rank puts the blocks in order.
// Traff, "Efficient allgather for regular SMP-clusters", EuroPVM/MPI 2006.

#include "collectives/algorithm.hpp"
#include "collectives/allgather/runs_to_all.hpp"
#include "collectives/block_runs.hpp"
#include "collectives/two_level_times.hpp"
#include "collectives/two_levels.hpp"

namespace stretto {
namespace {

// The blocks of this rank's subtree go to its host's first rank, which has them where
// `place(first, number)` says. Returns what has to be done before its output is overwritten, or of
// the first rank what brings them.
template <class Place>
std::vector<StepId> gather_on_host(Builder& step, const TwoLevels& levels, Count n,
                                   const Place& place) {
  const BinomialTree tree = levels.on_host().tree();
  const int first = levels.ranks_before(levels.between_hosts().me);
  const Region own = step.input({0, n});
  if (!tree.is_root() && tree.is_leaf()) return {step.send(tree.parent(), own)};
  std::vector<StepId> here{step.copy(own, place(first + tree.relative(), 1))};
  for (const auto& child : tree.children_near_first()) {
    here.push_back(step.recv(child.rank, place(first + child.first, child.subtree_size)));
  }
  if (tree.is_root()) return here;
  return {
      step.send(tree.parent(), place(first + tree.relative(), tree.subtree_size()), after(here))};
}

// All that the host's first rank has once `ready` are done, to all of the host: van de Geijn's
// broadcast.
void broadcast_on_host(Builder& step, const RanksAmong& host, const Span& all,
                       const std::vector<StepId>& ready) {
  const BinomialTree tree = host.tree();
  const Blocks cut{all.count, host.size};
  const auto parts = [&](int first, int number) { return step.output(cut.run(first, number)); };
  const StepId free = step.join(after(ready));
  const After scattered = send_down(
      step, tree,
      [&](const BinomialTree::Node& node) { return parts(node.first, node.subtree_size); },
      after(free));
  BlocksHere here{.done = {step.join(scattered)}, .free = free};
  const auto has = [&](int rank) { return BinomialTree(host.size, 0, rank).subtree_size(); };
  runs_to_all(step, host.size, host.me, has, parts, here);
}

Schedule build(const Shape& shape, const Layout& layout, Rank me) {
  Builder step(shape, me);
  const TwoLevels levels(shape, layout, me);
  const RanksAmong& host = levels.on_host();
  const RanksAmong& hosts = levels.between_hosts();
  const Count n = shape.count;
  const Span all{0, shape.size * n};
  // Of all ranks, host by host.
  const auto place = [&](int first, int number) {
    const Span span{first * n, number * n};
    return levels.in_rank_order() ? step.output(span) : step.scratch(span);
  };
  BlocksHere here;
  here.done = step.among(host.ranks, [&] { return gather_on_host(step, levels, n, place); });
  if (levels.is_first()) {
    const auto of_hosts = [&](int first, int number) {
      const int begin = levels.ranks_before(first);
      return place(begin, levels.ranks_before(first + number) - begin);
    };
    step.among(hosts.ranks, [&] {
      runs_to_all(step, hosts.size, hosts.me, [](int) { return 1; }, of_hosts, here);
    });
    if (!levels.in_rank_order()) {
      BlockRuns blocks(n);
      blocks.add_hosts(levels, 0, hosts.size);
      here.done = unpack(step, blocks, step.scratch(all), step.output(all), after(here.done));
    }
  }
  step.among(host.ranks, [&] { broadcast_on_host(step, host, all, here.done); });
  return step.finish();
}

// Blocks of so many bytes, of which each rank has one, come to all.
double runs_to_all(const Network& network, int ranks, Count bytes) {
  const bool by_swaps = survivors_of(ranks) == ranks;
  Exchanges rounds(network);
  for (int distance = 1; distance < ranks; distance *= 2) {
    if (by_swaps) {
      rounds.across(distance, distance * bytes);
    } else {
      rounds.onwards(distance, std::min(distance, ranks - distance) * bytes);
    }
  }
  return rounds.end();
}

double time(const Shape& shape, const Network& network) {
  const TwoLevelTimes times(network, shape.size);
  const Count all = shape.size * shape.count;
  const Count part = (all + times.ranks_on_host - 1) / times.ranks_on_host;
  // The last host gets the most.
  const Count others = all - times.ranks_on_last * shape.count;
  return network.copy(shape.count) + times.on_host(Way::up, 0, shape.count) +
         runs_to_all(times.hosts, times.number_of_hosts,
                     others / std::max(times.number_of_hosts - 1, 1)) +
         times.on_host(Way::down, 0, part) + runs_to_all(times.host, times.ranks_on_host, part);
}

}  // namespace

extern const Algorithm allgather_two_level;
const Algorithm allgather_two_level{.collective = Collective::allgather,
                                    .name = "two_level",
                                    .build = build,
                                    .time = time,
                                    .uses_layout = true};

}  // namespace stretto
