#include "replay/scaling.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

namespace stretto::replay {
namespace {

using trace::Op;
using trace::OpKind;

constexpr int kLeastWithInside = 3;  // the first, the last, and one between
constexpr int kMostScaled = 1 << 20;

// The factor goes where the grid is smallest, its greatest prime first, so that it stays as near
// to a cube as it can.
Grid grown(const Pattern& pattern, int factor) {
  Grid grid = pattern.grid;
  const bool needs_inside = pattern.sends && !grid.is_periodic;
  std::vector<std::size_t> growing;
  for (std::size_t i = 0; i < grid.dims.size(); ++i) {
    if (!needs_inside || grid.dims[i] >= kLeastWithInside) growing.push_back(i);
  }
  if (growing.empty()) {
    throw Irregular("no rank has neighbours on both sides: record it with 3 ranks a dimension");
  }
  std::vector<int> primes;
  for (int prime = 2; factor > 1; ++prime) {
    for (; factor % prime == 0; factor /= prime) primes.push_back(prime);
  }
  std::for_each(primes.rbegin(), primes.rend(), [&](int prime) {
    const auto smallest = std::min_element(growing.begin(), growing.end(), [&](auto a, auto b) {
      return grid.dims[a] < grid.dims[b];
    });
    grid.dims[*smallest] *= prime;
  });
  return grid;
}

class Scaler {
 public:
  Scaler(const trace::Trace& trace, const Scaling& scaling, Scaled& into)
      : trace_(trace), scaling_(scaling), old_(into.pattern.grid), new_(into.grid), into_(into) {
    for (const trace::RankTrace& rank : trace.ranks)
      hosts_ = std::max(hosts_, rank.location.host + 1);
    const auto hosts = static_cast<std::size_t>(hosts_);
    each_host_ = (trace.ranks.size() + hosts - 1) / hosts;
    for (std::size_t rank = 0; rank < trace.ranks.size(); ++rank) {
      if (static_cast<std::size_t>(trace.ranks[rank].location.host) != rank / each_host_) {
        throw Irregular("its hosts did not have as many ranks each, one host after the other");
      }
      complexes_ = std::max(complexes_, trace.ranks[rank].location.core_complex + 1);
    }
  }

  [[nodiscard]] Part part(int rank) {
    const int like = stands_for(rank);
    const trace::RankTrace& source = trace_.ranks[static_cast<std::size_t>(like)];
    Part part{.trace = &source, .ops = source.ops};
    part.computing = scaling_.strong ? 1.0 / scaling_.factor : 1.0;
    part.location = location(rank);
    const auto& masks = into_.pattern.comms[static_cast<std::size_t>(like)];
    for (std::size_t i = 0; i < source.comms.size(); ++i) {
      part.comms.push_back(comm(i, rank, masks[i].value_or(0)));
    }
    for (Op& op : part.ops) scale(op, source, rank);
    return part;
  }

 private:
  // Hosts as there were; a single one gets larger. As many more complexes as ranks, laid out as
  // those of the first host.
  [[nodiscard]] Location location(int rank) const {
    const int times = rank / static_cast<int>(each_host_);
    Location location = trace_.ranks[static_cast<std::size_t>(rank) % each_host_].location;
    if (hosts_ > 1) location.host = times;
    if (location.core_complex != kNoComplex) location.core_complex += times * complexes_;
    return location;
  }

  // The rank of the trace that is at the same kind of border.
  [[nodiscard]] int stands_for(int rank) const {
    Coords coords = new_.coords_of(rank);
    for (std::size_t i = 0; i < old_.dims.size(); ++i) {
      const int before = old_.dims[i];
      if (before == new_.dims[i]) continue;
      if (old_.is_periodic || before < kLeastWithInside) {
        coords[i] %= before;
      } else if (coords[i] == new_.dims[i] - 1) {
        coords[i] = before - 1;
      } else if (coords[i] > 0) {
        coords[i] = 1 + (coords[i] - 1) % (before - 2);
      }
    }
    return old_.rank_at(coords);
  }

  // All its ranks know it by the same number.
  PartComm comm(std::size_t index, int rank, unsigned mask) {
    Coords first = new_.coords_of(rank);
    for (std::size_t i = 0; i < new_.dims.size(); ++i) {
      if ((mask >> i & 1U) != 0) first[i] = 0;
    }
    PartComm& made = comms_[{index, mask, new_.rank_at(first)}];
    if (!made.members) {
      made.id = static_cast<std::int64_t>(comms_.size());
      made.members = std::make_shared<const std::vector<int>>(new_.slice(rank, mask));
    }
    return made;
  }

  [[nodiscard]] int peer(int of_trace, const trace::RankTrace& source, int rank) const {
    const int found = new_.from(rank, old_.way(source.rank, of_trace));
    if (found < 0) throw Irregular("a neighbour would be outside of the grid");
    return found;
  }

  void scale(Op& op, const trace::RankTrace& source, int rank) const {
    if (op.kind == OpKind::send) {
      if (scaling_.strong) op.bytes = shrunk(op.bytes, face(old_.way(source.rank, op.peer)));
      op.peer = peer(op.peer, source, rank);
    }
    for (trace::Taken& taken : op.taken) {
      if (taken.from != trace::kKept) taken.from = peer(taken.from, source, rank);
    }
    if (op.kind == OpKind::begin) {
      if (op.root != 0) throw Irregular("collectives with another root than rank 0");
      op.bytes = shrunk(op.bytes, block(op, source));
      scale_blocks(op, source, rank);
    }
  }

  // Those of a neighbourhood collective are messages.
  void scale_blocks(Op& op, const trace::RankTrace& source, int rank) const {
    double before = 0;  // as whole numbers, the blocks of a trace may overflow
    double after = 0;
    for (trace::NeighborBlock& block : op.to) {
      before += static_cast<double>(block.bytes);
      if (scaling_.strong) block.bytes = shrunk(block.bytes, face(old_.way(source.rank, block.to)));
      after += static_cast<double>(block.bytes);
      block.to = peer(block.to, source, rank);
    }
    if (after > 0) op.bytes = shrunk(op.bytes, before / after);
  }

  // By how much a message on this way has less to carry.
  [[nodiscard]] double face(const Coords& way) const {
    double less = 1;
    for (std::size_t i = 0; i < old_.dims.size(); ++i) {
      if (way[i] == 0) less *= static_cast<double>(new_.dims[i]) / old_.dims[i];
    }
    return less;
  }

  [[nodiscard]] double block(const Op& op, const trace::RankTrace& source) const {
    const auto& masks = into_.pattern.comms[static_cast<std::size_t>(source.rank)];
    const unsigned mask = masks[static_cast<std::size_t>(op.comm)].value_or(0);
    double growth = 1;
    for (std::size_t i = 0; i < old_.dims.size(); ++i) {
      if ((mask >> i & 1U) != 0) growth *= static_cast<double>(new_.dims[i]) / old_.dims[i];
    }
    const double less = scaling_.strong ? scaling_.factor : 1;
    switch (op.collective) {
      case Collective::alltoall:
        return less * growth;
      case Collective::gather:
      case Collective::scatter:
      case Collective::allgather:
      case Collective::reduce_scatter:
        return less;
      default:
        return 1;
    }
  }

  [[nodiscard]] static std::int64_t shrunk(std::int64_t bytes, double by) {
    if (bytes == 0) return 0;
    return std::max<std::int64_t>(std::llround(static_cast<double>(bytes) / by), 1);
  }

  const trace::Trace& trace_;
  const Scaling& scaling_;
  const Grid& old_;
  const Grid& new_;
  const Scaled& into_;
  int hosts_ = 1;
  int complexes_ = 0;
  std::size_t each_host_ = 1;
  // By index, dimensions and first rank.
  std::map<std::tuple<std::size_t, unsigned, int>, PartComm> comms_;
};

}  // namespace

Scaled scaled(const trace::Trace& trace, const Scaling& scaling) {
  const auto ranks = static_cast<int>(trace.ranks.size());
  if (scaling.factor > kMostScaled / ranks) throw Irregular("more than a million ranks");
  if (ranks == 1) throw Irregular("one rank does not show what more of them would do");
  std::string broken;
  auto pattern = pattern_of(trace, &broken);
  if (!pattern) {
    throw Irregular(
        "its ranks do not do the same with neighbours in a grid, or are too few to show it "
        "(4 in a dimension)" +
        (broken.empty() ? broken : ": " + broken));
  }
  Scaled made{.pattern = std::move(*pattern)};
  made.grid = grown(made.pattern, scaling.factor);
  Scaler scaler(trace, scaling, made);
  for (int rank = 0; rank < made.grid.ranks(); ++rank) made.parts.push_back(scaler.part(rank));
  return made;
}

}  // namespace stretto::replay
