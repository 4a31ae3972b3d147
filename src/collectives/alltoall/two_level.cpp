// Two-level alltoall: each rank of a host stands for it where some of the other hosts are
// concerned. It gets what the host's ranks have for theirs, exchanges that with each of those hosts
// in one message, and hands out what has come.
//
// Cost, p ranks, n elements: (p-1) alpha + (p-1) n beta.
// That is of hosts of one rank each. Of H hosts of h ranks a rank exchanges 2(h-1) messages on its
// host and about H/h with others, instead of (H-1)h, for short blocks; no rank holds more than a
// few times what all of its own blocks are. Any p; ranks may lie on hosts in any way, and where
// those of one do not follow each other blocks are put in order. Traff and Rougier, "MPI
// collectives and datatypes for hierarchical all-to-all communication", EuroMPI/ASIA 2014.

#include <algorithm>
#include <tuple>
#include <utility>

#include "collectives/algorithm.hpp"
#include "collectives/alltoall/host_shares.hpp"
#include "collectives/alltoall/outgoing.hpp"
#include "collectives/block_runs.hpp"
#include "collectives/two_level_times.hpp"
#include "collectives/two_levels.hpp"
#include "collectives/window.hpp"
#include "patterns/ring.hpp"

namespace stretto {
namespace {

// A message each way with a rank of another host: of some members here for its share, and back.
struct HostPeer {
  Rank rank;
  HostShare theirs;
  Span ours;
  StepId arrived = kNoStep;
  Region leaving{}, arriving{};

  [[nodiscard]] Count blocks() const { return theirs.members.count * ours.count; }
};

class ThroughHosts {
 public:
  // Scratch from `used` on is free.
  ThroughHosts(Builder& step, Count n, const TwoLevels& levels, Count used)
      : step_(step),
        n_(n),
        levels_(levels),
        host_(levels.on_host()),
        here_(levels.between_hosts().me),
        shares_(levels, here_),
        used_(used) {
    for (const HostShare& share : shares_.of(host_.me)) {
      for (const auto& other : HostShares(levels, share.host).for_host(here_)) {
        peers_.push_back({other.rank, share, other.members});
      }
    }
  }

  // All of `outgoing` and `incoming` are host by host; the one may be read and the other be written
  // once `ready` is done. Returns what brings all that comes.
  std::vector<StepId> run(const Region& outgoing, const Region& incoming, StepId ready) {
    collect(outgoing, ready);
    exchange();
    return hand_out(incoming, ready);
  }

 private:
  // From each rank of this host what it has for this rank's shares, and for this rank.
  void collect(const Region& outgoing, StepId ready) {
    rows_.resize(static_cast<std::size_t>(host_.size));
    arrived_.assign(rows_.size(), kNoStep);
    const Count blocks = blocks_of(host_.me).span().count / n_ + 1;
    for (Region& row : rows_) row = room(blocks);
    const auto own = static_cast<std::size_t>(host_.me);
    step_.among(host_.ranks, [&] {
      Windows window;
      const Ring ring{host_.size, host_.me};
      for (int distance = 1; distance < ring.size(); ++distance) {
        const auto from = static_cast<std::size_t>(ring.before(distance));
        const After free = after(window.receives.before_next());
        arrived_[from] = window.receives.add(step_.recv(ring.before(distance), rows_[from], free));
        const int to = ring.after(distance);
        const auto [row, packed] = row_for(to, outgoing, ready);
        const After filled = after(packed, window.sends.before_next());
        window.sends.add(step_.send(to, row, filled));
      }
    });
    std::tie(rows_[own], arrived_[own]) = row_for(host_.me, outgoing, ready);
  }

  // What comes for this host's ranks from the ranks of this rank's shares.
  void exchange() {
    for (HostPeer& peer : peers_) {
      peer.leaving = room(peer.blocks());
      peer.arriving = room(peer.blocks());
    }
    // Of what two ranks exchange, and wait for within their windows, the same comes first on both.
    const auto round = [&](int distance) { return (distance + levels_.hosts()) % levels_.hosts(); };
    Windows window;
    std::ranges::stable_sort(peers_, {},
                             [&](const HostPeer& peer) { return round(peer.theirs.host - here_); });
    for (const HostPeer& peer : peers_) {
      After packed = after(pack_for(peer));
      packed.add(window.sends.before_next());
      window.sends.add(step_.send(peer.rank, peer.leaving, packed));
    }
    std::ranges::stable_sort(peers_, {},
                             [&](const HostPeer& peer) { return round(here_ - peer.theirs.host); });
    for (HostPeer& peer : peers_) {
      const After free = after(window.receives.before_next());
      peer.arrived = window.receives.add(step_.recv(peer.rank, peer.arriving, free));
    }
  }

  // To each rank of this host what came for it, where that belongs.
  std::vector<StepId> hand_out(const Region& incoming, StepId free) {
    const Count first = levels_.ranks_before(here_);
    std::vector<StepId> done;
    for (std::size_t member = 0; member < rows_.size(); ++member) {
      const Region& row = rows_[member];
      const Count last = row.span.count / n_ - 1;
      done.push_back(step_.copy(elements(row, {last, 1}),
                                elements(incoming, {first + static_cast<Count>(member), 1}),
                                after(arrived_[member], free)));
    }
    const auto put = [&](int from, const Region& come, const After& ready) {
      for (const StepId step : unpack(step_, blocks_of(from), come, incoming, ready)) {
        done.push_back(step);
      }
    };
    step_.among(host_.ranks, [&] {
      Windows window;
      const Ring ring{host_.size, host_.me};
      for (int distance = 1; distance < ring.size(); ++distance) {
        const int from = ring.before(distance);
        const BlockRuns theirs = blocks_of(from);
        const After ready = after(free, window.receives.before_next());
        if (theirs.are_one()) {
          const Region here = part_of(incoming, theirs.in_all());
          done.push_back(window.receives.add(step_.recv(from, here, ready)));
        } else {
          const Region here = room(theirs.span().count / n_);
          put(from, here, after(window.receives.add(step_.recv(from, here, ready)), free));
        }
        const int to = ring.after(distance);
        const auto [come, packed] = column_for(to);
        After filled = after(packed);
        filled.add(window.sends.before_next());
        window.sends.add(step_.send(to, come, filled));
      }
    });
    const auto [come, packed] = column_for(host_.me);
    After own = after(packed);
    own.add(free);
    put(host_.me, come, own);
    return done;
  }

  [[nodiscard]] Region elements(const Region& region, const Span& blocks) const {
    return part_of(region, {blocks.offset * n_, blocks.count * n_});
  }
  [[nodiscard]] Region room(Count blocks) {
    const Region region = step_.scratch({used_, blocks * n_});
    used_ = region.span.end();
    return region;
  }
  // Those of the ranks for which a rank of this host stands, as they lie host by host.
  [[nodiscard]] BlockRuns blocks_of(int member) const {
    BlockRuns blocks(n_);
    for (const HostShare& share : shares_.of(member)) {
      const auto first = static_cast<int>(share.members.offset);
      blocks.add(levels_.ranks_before(share.host) + first, static_cast<int>(share.members.count));
    }
    return blocks;
  }
  // What this rank has for a rank of this host's shares, and for that rank.
  std::pair<Region, StepId> row_for(int member, const Region& outgoing, StepId ready) {
    BlockRuns blocks = blocks_of(member);
    blocks.add(levels_.ranks_before(here_) + member, 1);
    if (blocks.are_one()) return {part_of(outgoing, blocks.in_all()), ready};
    const Region row = room(blocks.span().count / n_);
    return {row, step_.join(after(pack(step_, blocks, outgoing, row, after(ready))))};
  }
  std::vector<StepId> pack_for(const HostPeer& peer) {
    const Span columns{peer.theirs.blocks_before, peer.theirs.members.count};
    std::vector<StepId> copied;
    for (Count i = 0; i < peer.ours.count; ++i) {
      const auto member = static_cast<std::size_t>(peer.ours.offset + i);
      const Region row = elements(peer.leaving, {i * columns.count, columns.count});
      copied.push_back(step_.copy(elements(rows_[member], columns), row, after(arrived_[member])));
    }
    return copied;
  }
  // What came for a rank of this host from this rank's shares, in their order.
  std::pair<Region, std::vector<StepId>> column_for(int member) {
    const Region column = room(blocks_of(host_.me).span().count / n_);
    std::vector<StepId> copied;
    for (const HostPeer& peer : peers_) {
      const Count at = member - peer.ours.offset;
      if (at < 0 || at >= peer.ours.count) continue;
      for (Count i = 0; i < peer.theirs.members.count; ++i) {
        const Region block = elements(peer.arriving, {i * peer.ours.count + at, 1});
        const Region place = elements(column, {peer.theirs.blocks_before + i, 1});
        copied.push_back(step_.copy(block, place, after(peer.arrived)));
      }
    }
    return {column, std::move(copied)};
  }

  Builder& step_;
  Count n_;
  const TwoLevels& levels_;
  const RanksAmong& host_;
  int here_;  // this host
  HostShares shares_;
  Count used_;
  std::vector<HostPeer> peers_;
  std::vector<Region> rows_;  // by rank of this host, when that has come
  std::vector<StepId> arrived_;
};

Schedule build(const Shape& shape, const Layout& layout, Rank me) {
  Builder step(shape, me);
  if (shape.count == 0) return step.finish();
  const TwoLevels levels(shape, layout, me);
  const Span all{0, shape.size * shape.count};
  const Outgoing outgoing{step, shape};
  BlockRuns order(shape.count);
  order.add_hosts(levels, 0, levels.hosts());
  Region leaving = shape.in_place ? step.scratch(all) : step.input(all);
  Region arriving = step.output(all);
  StepId ready = outgoing.ready();
  Count used = outgoing.scratch();
  if (!order.are_one()) {
    const Region packed = step.scratch({used, all.count});
    ready = step.join(after(pack(step, order, leaving, packed, after(ready))));
    leaving = packed;
    arriving = step.scratch({packed.span.end(), all.count});
    used = arriving.span.end();
  }
  ThroughHosts hosts(step, shape.count, levels, used);
  const auto done = hosts.run(leaving, arriving, ready);
  if (!order.are_one()) unpack(step, order, arriving, step.output(all), after(done));
  return step.finish();
}

double time(const Shape& shape, const Network& network) {
  const TwoLevelTimes times(network, shape.size);
  const int ranks = times.ranks_on_host;
  const int others = times.number_of_hosts - 1;
  const Count n = shape.count;
  const int parts = HostShares::parts_of(ranks, others);
  // Of two hosts the other one may have fewer.
  const int theirs = others == 1 ? times.ranks_on_last : ranks;
  const int part = (ranks + parts - 1) / parts;
  const int their_part = (theirs + parts - 1) / parts;
  const int shares = (others * parts + ranks - 1) / ranks;
  const int messages = shares * parts;
  const Count row = Count{shares} * their_part;
  const double packed =
      2 * ranks * network.copy((row + 1) * n / 2) + messages * part * network.copy(their_part * n) +
      static_cast<double>(row * ranks) * network.copy(n) + ranks * network.copy(n);
  const Network::Tier& far = times.hosts.farthest();
  const MessageCost each = Network::cost(far, Count{part} * their_part * n);
  const double sent = messages * std::max(each.gap, each.send);
  // A host's messages take turns on the links of all others, and single ones get in each other's
  // way. As simulated on 8 and 16 hosts.
  const double turns = messages == 1 ? 1.6 : 1;
  const double link =
      turns * static_cast<double>(Count{others} * ranks * theirs * n) * far.level->link_per_byte;
  const double between = messages == 0 ? 0
                                       : std::max(sent + messages * std::max(each.gap, each.recv),
                                                  std::max(sent, link) + each.wire + each.recv);
  return packed + times.host.all_at_once(ranks, (row + 1) * n, 0) + between +
         times.host.all_at_once(ranks, row * n, 0);
}

}  // namespace

extern const Algorithm alltoall_two_level;
const Algorithm alltoall_two_level{.collective = Collective::alltoall,
                                   .name = "two_level",
                                   .build = build,
                                   .time = time,
                                   .uses_layout = true,
                                   // A block each to hand out are 7 MB of steps.
                                   .most_ranks = 65'536,
                                   .most_bytes = Count{2} << 20};

}  // namespace stretto
