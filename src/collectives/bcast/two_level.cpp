// Two-level broadcast: a binomial tree between hosts, of one rank each, then a binomial tree on
// every host.
//
// Cost, p = 2^k ranks, h a host, n elements: lg(p) alpha + lg(p) n beta.
// For several ranks a host: each host gets the vector once, whatever its ranks' numbers are, where
// a tree of all ranks crosses between hosts as they come. A segment is passed on while the next
// ones come. Any p, any root, which stands for its host; ranks may lie on hosts in any way.
// Karonis, de Supinski, Foster, Gropp, Lusk and Bresnahan, "Exploiting hierarchy in parallel
// computer networks to optimize collective operation performance", IPDPS 2000.

#include "collectives/algorithm.hpp"
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
        return send_down(step, hosts.tree(levels.root_host()), segment, here);
      });
    }
    step.among(host.ranks,
               [&] { return send_down(step, host.tree(levels.first()), segment, here); });
  });
  return step.finish();
}

}  // namespace

extern const Algorithm bcast_two_level;
const Algorithm bcast_two_level{.collective = Collective::bcast,
                                .name = "two_level",
                                .build = build,
                                .uses_segment = true,
                                .uses_layout = true};

}  // namespace stretto
