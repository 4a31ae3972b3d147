#include "replay/pattern.hpp"

#include <algorithm>
#include <limits>
#include <map>

#include "replay/digest.hpp"

namespace stretto::replay {
namespace {

using trace::Op;
using trace::OpKind;
using trace::RankTrace;
constexpr int kMostRanks = 1 << 24;

using Masks = std::vector<std::optional<unsigned>>;

bool is_used(const RankTrace& rank, int comm) {
  return std::any_of(rank.ops.begin(), rank.ops.end(),
                     [&](const Op& op) { return op.kind == OpKind::begin && op.comm == comm; });
}

// Those of one rank; nothing where one of them is no slice of the grid.
std::optional<Masks> masks_of(const RankTrace& rank, const Grid& grid) {
  Masks masks(rank.comms.size());
  for (std::size_t i = 0; i < masks.size(); ++i) {
    if (!is_used(rank, static_cast<int>(i))) continue;
    for (unsigned mask = 0; !masks[i] && mask < 1U << grid.dims.size(); ++mask) {
      if (grid.slice(rank.rank, mask) == rank.comms[i].members) masks[i] = mask;
    }
    if (!masks[i]) return {};
  }
  return masks;
}

class WordHash {
 public:
  WordHash& add(std::uint64_t part) {
    word_ = (word_ ^ part) * 0x9e3779b97f4a7c15U;
    word_ ^= word_ >> 29;
    return *this;
  }
  WordHash& add(const Coords& way) {
    for (const int each : way) {
      const int shifted = each + kMostRanks;
      add(static_cast<std::uint64_t>(shifted));
    }
    return *this;
  }
  [[nodiscard]] std::uint64_t word() const { return word_; }

 private:
  std::uint64_t word_ = 0x243f6a8885a308d3U;
};

// The same for operations that are the same but for their bytes, seen from each rank.
std::uint64_t word_of(const Op& op, int rank, const Grid& grid, const Masks& masks) {
  WordHash words;
  words.add(static_cast<std::uint64_t>(op.kind)).add(static_cast<std::uint64_t>(op.slot));
  words.add((op.nonblocking ? 1 : 0) + (op.meets ? 2 : 0));
  if (op.kind == OpKind::send) words.add(grid.way(rank, op.peer));
  for (const trace::Taken& taken : op.taken) {
    words.add(static_cast<std::uint64_t>(taken.position));
    if (taken.from != trace::kKept) words.add(grid.way(rank, taken.from));
  }
  if (op.kind == OpKind::begin) {
    words.add(static_cast<std::uint64_t>(op.comm))
        .add(masks[static_cast<std::size_t>(op.comm)].value_or(0));
    words.add(static_cast<std::uint64_t>(op.collective)).add(static_cast<std::uint64_t>(op.root));
    words.add((op.commutative ? 1 : 0) + (op.uneven ? 2 : 0));
    words.add(static_cast<std::uint64_t>(op.series)).add(static_cast<std::uint64_t>(op.from));
    for (const trace::NeighborBlock& block : op.to) words.add(grid.way(rank, block.to));
  }
  return words.word();
}

// Which of the ranks' peers are elsewhere along each dimension.
Coords farthest(const RankTrace& rank, const Grid& grid) {
  Coords far{};
  const auto reach = [&](int peer) {
    const Coords way = grid.way(rank.rank, peer);
    for (std::size_t i = 0; i < far.size(); ++i) far[i] = std::max(far[i], std::abs(way[i]));
  };
  for (const Op& op : rank.ops) {
    if (op.kind == OpKind::send) reach(op.peer);
    for (const trace::NeighborBlock& block : op.to) reach(block.to);
    for (const trace::Taken& taken : op.taken) {
      if (taken.from != trace::kKept) reach(taken.from);
    }
  }
  return far;
}

double bytes_sent(const RankTrace& rank) {
  const auto times = times_of_items(rank.program, rank.ops.size());
  double bytes = 0;
  for (std::size_t i = 0; i < times.size(); ++i) {
    bytes += static_cast<double>(times[i]) * static_cast<double>(rank.ops[i].bytes);
  }
  return bytes;
}

struct Spread {
  double least = std::numeric_limits<double>::infinity();
  double most = 0;

  void add(double value) {
    least = std::min(least, value);
    most = std::max(most, value);
  }
  [[nodiscard]] double share() const { return most > 0 ? (most - least) / most : 0; }
};

// Of ranks at the same kind of border.
struct BorderKind {
  std::optional<Digest> digest{};
  int ranks = 0;
  Spread computing{};
  Spread bytes{};
};

std::optional<Pattern> pattern_in(const trace::Trace& trace, const Grid& grid) {
  Pattern pattern{.grid = grid};
  const unsigned whole = (1U << grid.dims.size()) - 1;
  std::map<Coords, BorderKind> kinds;
  for (const RankTrace& rank : trace.ranks) {
    const auto masks = masks_of(rank, grid);
    if (!masks) return {};
    const Coords far = farthest(rank, grid);
    for (std::size_t i = 0; i < grid.dims.size(); ++i) {
      if (far[i] == 0) continue;
      pattern.sends = true;
      pattern.uses_grid = true;
      // To the left or to the right? And is there anyone to whom it does not go?
      if (grid.is_periodic && 2 * far[i] + 1 >= grid.dims[i]) return {};
    }
    std::vector<std::uint64_t> words;
    words.reserve(rank.ops.size());
    for (const Op& op : rank.ops) words.push_back(word_of(op, rank.rank, grid, *masks));
    const Digest digest = digest_of(rank.program, words);
    BorderKind& kind = kinds[grid.border(rank.rank)];
    if (kind.digest && *kind.digest != digest) return {};
    kind.digest = digest;
    ++kind.ranks;
    kind.computing.add(rank.ending.computed_ns);
    kind.bytes.add(bytes_sent(rank));
    for (const auto& mask : *masks) {
      pattern.uses_grid = pattern.uses_grid || (mask && *mask != 0 && *mask != whole);
    }
    pattern.comms.push_back(*masks);
  }
  for (const auto& [border, kind] : kinds) {
    if (kind.ranks > 1) pattern.alike += kind.ranks;
    pattern.computing = std::max(pattern.computing, kind.computing.share());
    pattern.bytes = std::max(pattern.bytes, kind.bytes.share());
  }
  return pattern;
}

}  // namespace

std::optional<Pattern> pattern_of(const trace::Trace& trace) {
  const auto ranks = static_cast<int>(trace.ranks.size());
  for (const bool is_periodic : {true, false}) {
    for (const Grid& grid : grids_of(ranks, is_periodic)) {
      auto found = pattern_in(trace, grid);
      // Where each rank is its own kind, nothing shows that it is a pattern.
      if (found && found->alike > 0) return found;
    }
  }
  return {};
}

}  // namespace stretto::replay
