#include "replay/pattern.hpp"

#include <algorithm>
#include <limits>
#include <map>

#include "base/words.hpp"
#include "replay/digest.hpp"

namespace stretto::replay {
namespace {

using trace::Op;
using trace::OpKind;
using trace::RankTrace;
constexpr int kMostShifted = 1 << 24;

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
      const int shifted = each + kMostShifted;
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
  const RankTrace* first = nullptr;
  int ranks = 0;
  Spread computing{};
  Spread bytes{};
};

// Where a rank of a grid does what another one like it does not.
struct Break {
  std::int64_t at = -1;  // after so many operations that were the same
  std::string words{};
};

std::string where(const model::CallSite& call_site) {
  const std::string object = call_site.object.substr(call_site.object.rfind('/') + 1);
  const std::string at =
      call_site.is_source
          ? words(object, ':', call_site.offset)
          : words(object, "+0x", in_hex(static_cast<std::uint64_t>(call_site.offset)));
  return call_site.symbol.empty() ? at : words(call_site.symbol, ", ", at);
}

std::string call_in_words(const RankTrace& rank, const Op& op) {
  const model::CallSite& call_site = rank.call_sites[static_cast<std::size_t>(op.call_site)];
  return call_site.function + " (" + where(call_site) + ")";
}

std::string in_words(const RankTrace& rank, const Op* op) {
  if (op == nullptr) return "its end";
  switch (op->kind) {
    case OpKind::compute:
      return "computing";
    case OpKind::pass:
      return "a call that is not modelled";
    case OpKind::send:
      return words("a send to rank ", op->peer);
    case OpKind::receive:
      if (op->taken.size() != 1) return words("a receive of ", op->taken.size(), " messages");
      return op->taken.front().from == trace::kKept
                 ? "a receive of what a probe kept"
                 : words("a receive from rank ", op->taken.front().from);
    case OpKind::see:
    case OpKind::keep:
      return words("a probe of rank ", op->taken.front().from, "'s message");
    case OpKind::begin: {
      const auto ranks = rank.comms[static_cast<std::size_t>(op->comm)].members.size();
      return words(call_in_words(rank, *op), " on ", ranks, " ranks, root ", op->root);
    }
    case OpKind::finish:
      return "the end of a collective";
  }
  return {};
}

// The first operation in which they differ, of two ranks whose words do.
Break first_difference(const RankTrace& rank, const std::vector<std::uint64_t>& mine,
                       const RankTrace& like, const std::vector<std::uint64_t>& theirs) {
  trace::Cursor here(rank.program);
  trace::Cursor there(like.program);
  const Op* last_call = nullptr;
  for (Break found{.at = 0};; ++found.at) {
    const auto i = here.next();
    const auto j = there.next();
    if (!i && !j) return found;
    const Op* op = i ? &rank.ops[static_cast<std::size_t>(*i)] : nullptr;
    const Op* other = j ? &like.ops[static_cast<std::size_t>(*j)] : nullptr;
    const bool is_same =
        i && j && mine[static_cast<std::size_t>(*i)] == theirs[static_cast<std::size_t>(*j)];
    if (!is_same) {
      found.words = words("rank ", rank.rank, " has ", in_words(rank, op), " where rank ",
                          like.rank, ", which should do the same, has ", in_words(like, other),
                          ", after ", found.at, " operations that are alike");
      if (last_call != nullptr) found.words += ", the last call " + call_in_words(rank, *last_call);
      return found;
    }
    if (op->kind == OpKind::begin) last_call = op;
  }
}

std::vector<std::uint64_t> words_of(const RankTrace& rank, const Grid& grid, const Masks& masks) {
  std::vector<std::uint64_t> found;
  found.reserve(rank.ops.size());
  for (const Op& op : rank.ops) found.push_back(word_of(op, rank.rank, grid, masks));
  return found;
}

// Keeps in `broken` what is the same for longest.
std::optional<Pattern> pattern_in(const trace::Trace& trace, const Grid& grid, Break& broken) {
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
    const auto all = words_of(rank, grid, *masks);
    const Digest digest = digest_of(rank.program, all);
    BorderKind& kind = kinds[grid.border(rank.rank)];
    if (kind.digest && *kind.digest != digest) {
      const RankTrace& like = *kind.first;
      const auto its_masks = pattern.comms[static_cast<std::size_t>(like.rank)];
      Break found = first_difference(rank, all, like, words_of(like, grid, its_masks));
      if (found.at > broken.at) broken = std::move(found);
      return {};
    }
    kind.digest = digest;
    if (kind.first == nullptr) kind.first = &rank;
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

std::optional<Pattern> pattern_of(const trace::Trace& trace, std::string* broken) {
  Break furthest;
  const auto ranks = static_cast<int>(trace.ranks.size());
  for (const bool is_periodic : {true, false}) {
    for (const Grid& grid : grids_of(ranks, is_periodic)) {
      auto found = pattern_in(trace, grid, furthest);
      // Where each rank is its own kind, nothing shows that it is a pattern.
      if (found && found->alike > 0) return found;
    }
  }
  if (broken != nullptr) *broken = furthest.words;
  return {};
}

}  // namespace stretto::replay
