// Two-level barrier: arrivals are collected up a binomial tree to the first rank of each host,
// these signal each other by dissemination, and the release goes down a binomial tree on every
// host.
//
// Cost, p = 2^k ranks, h a host, n elements: (lg(p)+lg(h)) alpha.
// For several ranks a host: lg(p/h) rounds between hosts, in which one rank of each takes part,
// where dissemination among all has each rank's signals of lg(p) rounds cross. Any p; ranks may lie
// on hosts in any way. Mellor-Crummey and Scott, "Algorithms for scalable synchronization on
// shared-memory multiprocessors", ACM TOCS 9(1), 1991.

#include <vector>

#include "collectives/algorithm.hpp"
#include "collectives/barrier/signals.hpp"
#include "collectives/two_level_times.hpp"
#include "collectives/two_levels.hpp"

namespace stretto {

extern const Algorithm barrier_dissemination;

namespace {

Schedule build(const Shape& shape, const Layout& layout, Rank me) {
  Builder step(shape, me);
  const TwoLevels levels(shape, layout, me);
  const RanksAmong& host = levels.on_host();
  const RanksAmong& hosts = levels.between_hosts();
  std::vector<StepId> heard =
      step.among(host.ranks, [&] { return collect_arrivals(step, host.tree()); });
  if (levels.is_first()) {
    step.among(hosts.ranks, [&] { spread(step, hosts.size, hosts.me, heard); });
  }
  step.among(host.ranks, [&] { release(step, host.tree(), after(heard)); });
  return step.finish();
}

double time(const Shape& shape, const Network& network) {
  const TwoLevelTimes times(network, shape.size);
  const double between = barrier_dissemination.time(
      {.collective = Collective::barrier, .size = times.number_of_hosts}, times.hosts);
  return times.on_host(Way::up, 0, 0) + between + times.on_host(Way::down, 0, 0);
}

}  // namespace

extern const Algorithm barrier_two_level;
const Algorithm barrier_two_level{.collective = Collective::barrier,
                                  .name = "two_level",
                                  .build = build,
                                  .time = time,
                                  .uses_layout = true};

}  // namespace stretto
