// Two-level broadcast: a k-nomial tree between hosts, of one rank each, then a binomial tree on
// every host.
//
// Cost, p = 2^k ranks, h a host, n elements: lg(p) alpha + lg(p) n beta.
// That is for k = 2; where a message is long under way, and soon sent, more children get it sooner.
// For several ranks a host: each host gets the vector once, whatever its ranks' numbers are, where
// a tree of all ranks crosses between hosts as they come. A segment is passed on while the next
// ones come. Any p, any root, which stands for its host; ranks may lie on hosts in any way.
// Karonis, de Supinski, Foster, Gropp, Lusk and Bresnahan, "Exploiting hierarchy in parallel
// computer networks to optimize collective operation performance", IPDPS 2000.

#include "collectives/algorithm.hpp"
#include "collectives/two_level_times.hpp"
#include "collectives/two_levels.hpp"

namespace stretto {
namespace {

Schedule build(const Shape& shape, const Layout& layout, Rank me) {
  Builder step(shape, me);
  const TwoLevels levels(shape, layout, me);
  const RanksAmong& host = levels.on_host();
  const RanksAmong& hosts = levels.between_hosts();
  write_segments(step, shape, [&](const Span& span, StepId before) {
    const auto segment = [&](const auto&) { return step.output(span); };
    After here = after(before);
    if (levels.is_first()) {
      here = step.among(hosts.ranks, [&] {
        const KnomialTree tree{hosts.size, levels.root_host(), hosts.me, shape.radix};
        return send_down(step, tree, segment, here);
      });
    }
    step.among(host.ranks,
               [&] { return send_down(step, host.tree(levels.first()), segment, here); });
  });
  return step.finish();
}

double time(const Shape& shape, const Network& network) {
  const TwoLevelTimes times(network, shape.size);
  const auto down = [&](Count bytes) {
    const double between = shape.radix == 2
                               ? times.between_hosts(Way::down, bytes, 0)
                               : knomial(times.hosts, 0, times.number_of_hosts, shape.radix, bytes);
    return between + times.on_host(Way::down, bytes, 0);
  };
  const int children = (shape.radix - 1) * levels_of(times.number_of_hosts, shape.radix);
  const int to_hosts = std::min(children, times.number_of_hosts - 1);
  return TwoLevelTimes::segments(shape, down, [&](Count bytes) {
    return times.busy(bytes, {.sent = times.rounds_on_host()}, {.sent = to_hosts});
  });
}

}  // namespace

extern const Algorithm bcast_two_level;
const Algorithm bcast_two_level{.collective = Collective::bcast,
                                .name = "two_level",
                                .build = build,
                                .time = time,
                                .uses_segment = true,
                                .uses_radix = true,
                                .uses_layout = true};

}  // namespace stretto
