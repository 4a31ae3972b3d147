// Two-level allreduce: a binomial reduce to the first rank of each host, recursive doubling among
// these, and a binomial broadcast on every host.
//
// Cost, p = 2^k ranks, h a host, n elements: (lg(p)+lg(h)) alpha + (lg(p)+lg(h)) n beta +
// lg(p) n gamma.
// For several ranks a host: only one of them sends to other hosts, lg(p/h) times. A segment goes
// through the three stages behind the one before. Any p; ranks may lie on hosts in any way.
// Keeps rank order: an operation that does not commute is taken host by host only as far as
// their ranks follow each other (see TwoLevels); ranks dealt round the hosts are each a host of
// their own then.
// Graham and Shipman, "MPI support for multi-core architectures: optimized shared memory
// collectives", EuroPVM/MPI 2008.

#include "collectives/algorithm.hpp"
#include "collectives/allreduce/doubling.hpp"
#include "collectives/reduce/up_tree.hpp"
#include "collectives/two_level_times.hpp"
#include "collectives/two_levels.hpp"

namespace stretto {

extern const Algorithm allreduce_recursive_doubling;

namespace {

// The sum of a host becomes that of all hosts.
StepId add_hosts(Builder& step, const RanksAmong& hosts, const Sum& sum, const Span& segment) {
  const bool in_scratch = sum.where.buffer == Buffer::scratch;
  const Region spare = in_scratch ? sum.where : Region{Buffer::scratch, segment};
  Partial partial{step, sum.where, step.output(segment), spare, Partial::Order::rank};
  const Span all{0, segment.count};
  return step.among(hosts.ranks, [&] {
    return allreduce_by_doubling(step, hosts.size, hosts.me, partial, all, sum.ready);
  });
}

Schedule build(const Shape& shape, const Layout& layout, Rank me) {
  Builder step(shape, me);
  const TwoLevels levels(shape, layout, me);
  const RanksAmong& host = levels.on_host();
  write_segments(step, shape, [&](const Span& segment, StepId before) {
    const Sum own{step.input(segment), before};
    const Sum sum = step.among(
        host.ranks, [&] { return sum_up(step, host.tree(), own, segment, shape.count); });
    const StepId ready =
        levels.is_first() ? add_hosts(step, levels.between_hosts(), sum, segment) : sum.ready;
    const auto result = [&](const auto&) { return step.output(segment); };
    step.among(host.ranks, [&] { return send_down(step, host.tree(), result, after(ready)); });
  });
  return step.finish();
}

double time(const Shape& shape, const Network& network) {
  const TwoLevelTimes times(network, shape.size);
  const auto one = [&](Count bytes) {
    const double doubling = allreduce_recursive_doubling.time(
        {.collective = Collective::allreduce, .size = times.number_of_hosts, .count = bytes},
        times.hosts);
    return times.on_host(Way::up, bytes, 0, network.reduce(bytes)) + doubling +
           times.on_host(Way::down, bytes, 0);
  };
  const int here = times.rounds_on_host();
  const int between = times.rounds_between();
  // Who waits for its port one way does nothing the other way meanwhile.
  return TwoLevelTimes::segments(shape, one, [&](Count bytes) {
    return times.busy(bytes, {.added = here}, {.added = between}) +
           times.busy(bytes, {.sent = here}, {.sent = between});
  });
}

}  // namespace

extern const Algorithm allreduce_two_level;
const Algorithm allreduce_two_level{.collective = Collective::allreduce,
                                    .name = "two_level",
                                    .build = build,
                                    .time = time,
                                    .uses_segment = true,
                                    .uses_layout = true};

}  // namespace stretto
