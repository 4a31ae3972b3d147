#include "topology/machine.hpp"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <optional>
#include <utility>

#include "base/lines.hpp"

namespace stretto {
namespace {

constexpr std::int64_t kMostRanks = 1 << 30;

// Adds what a line says; false where it says something else.
bool read_line(std::string_view subject, WordReader& words, Machine& machine) {
  if (subject == "machine") {
    machine.name = words.rest();  // it may have none
    return true;
  }
  if (subject == "copy") return words.read(machine.copy, machine.copy_per_byte);
  if (subject == "reduce") return words.read(machine.reduce, machine.reduce_per_byte);
  if (subject == "page_fault") return words.read(machine.page_fault);
  if (subject == "level") {
    Level& level = machine.levels.emplace_back();
    const bool is_read = words.read(level.ranks, level.link_per_byte, level.medium_per_byte);
    level.name = words.rest();
    return is_read;
  }
  if (subject != "message" || machine.levels.empty()) return false;
  CostPiece& piece = machine.levels.back().pieces.emplace_back();
  if (!words.read(piece.from_bytes, piece.latency, piece.send_overhead, piece.recv_overhead,
                  piece.overhead_per_byte, piece.gap, piece.gap_per_byte))
    return false;
  const std::string_view protocol = words.word();
  piece.rendezvous = protocol == "rendezvous";
  return piece.rendezvous || protocol.empty();
}

bool are_times(std::initializer_list<double> times) {
  return std::all_of(times.begin(), times.end(),
                     [](double time) { return std::isfinite(time) && time >= 0; });
}

bool is_sound(const CostPiece& piece) {
  return are_times({piece.latency, piece.send_overhead, piece.recv_overhead,
                    piece.overhead_per_byte, piece.gap, piece.gap_per_byte});
}

// What the engines rely on.
bool is_sound(const Machine& machine) {
  const auto is_level = [](const Level& level) {
    return are_times({level.link_per_byte, level.medium_per_byte}) && !level.pieces.empty() &&
           level.pieces.front().from_bytes == 0 &&
           std::all_of(level.pieces.begin(), level.pieces.end(),
                       [](const CostPiece& each) { return is_sound(each); }) &&
           std::is_sorted(
               level.pieces.begin(), level.pieces.end(),
               [](const auto& a, const auto& b) { return a.from_bytes <= b.from_bytes; });
  };
  const auto holds_no_whole = [](const Level& below, const Level& above) {
    return below.ranks <= 0 || below.ranks > kMostRanks || above.ranks % below.ranks != 0;
  };
  const auto& levels = machine.levels;
  return are_times({machine.copy, machine.copy_per_byte, machine.reduce, machine.reduce_per_byte,
                    machine.page_fault}) &&
         !levels.empty() && levels.back().ranks == 0 &&
         std::all_of(levels.begin(), levels.end(), is_level) &&
         std::adjacent_find(levels.begin(), levels.end(), holds_no_whole) == levels.end();
}

}  // namespace

bool Machine::has_contention(int ranks) const {
  const auto is_shared = [](const Level& level) {
    return level.link_per_byte > 0 || level.medium_per_byte > 0;
  };
  if (std::none_of(levels.begin(), levels.end(), is_shared)) return false;
  // Groups lie in groups: no two ranks are farther from each other than one is from the first.
  std::size_t farthest = 0;
  for (Rank rank = 1; rank < ranks; ++rank) farthest = std::max(farthest, level_between(0, rank));
  return std::any_of(levels.data(), levels.data() + farthest + 1, is_shared);
}

Layout layout_of(const Machine& machine, int ranks) {
  std::vector<Layout::Groups> levels;
  for (const Level& level : machine.levels) {
    // The last has all ranks together, which a layout says of hosts alone.
    if (level.ranks == 0 && level.name != kHostLevel) break;
    Layout::Groups& groups = levels.emplace_back(level.name);
    for (Rank rank = 0; rank < ranks; ++rank) {
      groups.group_of.push_back(level.ranks == 0 ? 0 : machine.place_of(rank) / level.ranks);
    }
  }
  return Layout(std::move(levels));
}

int hosts_in_blocks(const Machine& machine, int ranks) {
  const auto host = std::ranges::find(machine.levels, kHostLevel, &Level::name);
  if (host == machine.levels.end()) return 0;
  if (host->ranks == 0) return 1;
  if (machine.places.empty()) return (ranks + host->ranks - 1) / host->ranks;
  std::vector<Rank> known;
  for (Rank rank = 0; rank < ranks; ++rank) {
    const Rank number = machine.place_of(rank) / host->ranks;
    if (known.empty() || number != known.back()) known.push_back(number);
  }
  std::ranges::sort(known);
  const bool in_blocks = std::ranges::adjacent_find(known) == known.end();
  return in_blocks ? static_cast<int>(known.size()) : 0;
}

MessageCost message_cost(const Level& level, std::int64_t bytes) {
  const auto after = std::upper_bound(
      level.pieces.begin(), level.pieces.end(), bytes,
      [](std::int64_t size, const CostPiece& piece) { return size < piece.from_bytes; });
  const CostPiece& piece = *std::prev(after);
  const auto size = static_cast<double>(bytes);
  const double stream = std::max(size - 1, 0.0) * piece.gap_per_byte;
  return {.send = piece.send_overhead + size * piece.overhead_per_byte,
          .recv = piece.recv_overhead + size * piece.overhead_per_byte,
          .gap = piece.gap + stream,
          .wire = piece.latency + level.added_latency + stream,
          .answered = piece.rendezvous ? 2 * level.added_latency : 0};
}

namespace {

// Slopes of shorter messages say little of what a byte takes.
constexpr std::int64_t kLong = 4096;

bool has_long(const Level& level, std::vector<CostPiece>::const_iterator piece) {
  const auto next = std::next(piece);
  return next == level.pieces.end() || next->from_bytes > kLong;
}

// Calibration doubles sizes, and one that fits with none beside it has a slope that leads to the
// next: where the protocol changes there that is the change's, not a byte's.
bool is_of_one_size(const Level& level, std::vector<CostPiece>::const_iterator piece) {
  const auto next = std::next(piece);
  return next != level.pieces.end() && next->from_bytes <= 2 * piece->from_bytes;
}

// What the link or messages that are long show of what a byte takes in the network, best those of
// several sizes; what any show where none of these does.
double shown_per_byte(const Level& level) {
  if (level.link_per_byte > 0) return level.link_per_byte;
  double of_several = 0;
  double of_long = 0;
  double of_any = 0;
  for (auto piece = level.pieces.begin(); piece != level.pieces.end(); ++piece) {
    const double per_byte = piece->gap_per_byte;
    of_any = std::max(of_any, per_byte);
    if (!has_long(level, piece)) continue;
    of_long = std::max(of_long, per_byte);
    if (!is_of_one_size(level, piece)) of_several = std::max(of_several, per_byte);
  }
  if (of_several > 0) return of_several;
  return of_long > 0 ? of_long : of_any;
}

// What an end of a message that leaves at once spends on a byte; none where all messages that are
// long are answered first.
std::optional<double> spent_per_byte(const Level& level) {
  std::optional<double> most;
  for (auto piece = level.pieces.begin(); piece != level.pieces.end(); ++piece) {
    if (piece->rendezvous || !has_long(level, piece)) continue;
    most = std::max(most.value_or(0), piece->overhead_per_byte);
  }
  return most;
}

// What a byte of a message takes in the network. Calibration cannot tell all of it from what the
// ends do: where an end waits inside a call until the bytes have left (an MPI's rendezvous over
// sockets), it is in `overhead_per_byte`. So it is what is `shown`, but no more than all that a
// byte of this piece takes; and of a rendezvous all but what ends that do not wait have `spent`, at
// most that of both ways one after the other.
double network_per_byte(const CostPiece& piece, double shown, std::optional<double> spent) {
  const double all = piece.gap_per_byte + 2 * piece.overhead_per_byte;
  const double waited = piece.rendezvous && spent ? std::min(all - 2 * *spent, 2 * shown) : 0;
  return std::max({piece.gap_per_byte, std::min(shown, all), waited});
}

void slow_level(Level& level, const Slowdown& by) {
  const double shown = shown_per_byte(level);
  // A link says it already.
  const auto spent = level.link_per_byte > 0 ? std::nullopt : spent_per_byte(level);
  for (CostPiece& piece : level.pieces) {
    // What calibration has in the ends stays there: messages whose ends are busy with one wait for
    // each other, as those do that share the wire.
    const double in_ends = network_per_byte(piece, shown, spent) - piece.gap_per_byte;
    piece.gap_per_byte *= by.per_byte;
    piece.overhead_per_byte =
        std::max(piece.overhead_per_byte + (by.per_byte - 1) * in_ends / 2, 0.0);
  }
  level.added_latency += by.latency;
  level.link_per_byte *= by.per_byte;
  level.medium_per_byte *= by.per_byte;
}

}  // namespace

void slow_network(Machine& machine, const Slowdown& by) {
  auto& levels = machine.levels;
  auto first = std::ranges::find(levels, kHostLevel, &Level::name);
  first =
      first == levels.end() || std::next(first) == levels.end() ? levels.begin() : std::next(first);
  std::for_each(first, levels.end(), [&](Level& level) { slow_level(level, by); });
}

Machine with_hosts_of(Machine machine, int ranks) {
  const auto host =
      std::find_if(machine.levels.begin(), machine.levels.end(),
                   [](const Level& each) { return each.name == "host" && each.ranks > 0; });
  if (host == machine.levels.end()) return machine;
  const int before = host->ranks;
  for (Level& level : machine.levels) {
    if (level.ranks >= before) {
      level.ranks = static_cast<int>(
          std::min<std::int64_t>(std::int64_t{level.ranks} / before * ranks, kMostRanks));
    } else if (level.ranks > ranks || (level.ranks > 0 && ranks % level.ranks != 0)) {
      level.ranks = ranks;
    }
  }
  return machine;
}

Machine read_machine(std::string_view text) {
  Machine machine;
  for (int number = 1; !text.empty(); ++number) {
    const std::string_view line = take_line(text);
    WordReader words(line);
    const std::string_view subject = words.word();
    if (subject.empty()) continue;
    if (!read_line(subject, words, machine) || !words.is_at_end()) {
      throw BadMachine("machine, line " + std::to_string(number) +
                       " is damaged: " + std::string(line));
    }
  }
  if (!is_sound(machine)) throw BadMachine("the machine's description is damaged");
  return machine;
}

}  // namespace stretto
