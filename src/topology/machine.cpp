#include "topology/machine.hpp"

#include <algorithm>
#include <cmath>
#include <istream>
#include <sstream>
#include <utility>

namespace stretto {
namespace {

// One line of a description.
class Line {
 public:
  Line(int number, const std::string& text) : number_(number), text_(text) { text_ >> subject_; }

  [[nodiscard]] const std::string& subject() const { return subject_; }

  // Not negative.
  double number(const char* what) {
    double value = -1;
    if (!(text_ >> value) || !std::isfinite(value) || value < 0) {
      fail(std::string(what).append(" is no number of 0 or more"));
    }
    return value;
  }
  std::int64_t whole(const char* what, std::int64_t most) {
    std::int64_t value = -1;
    if (!(text_ >> value) || value < 0 || value > most) {
      fail(std::string(what) + " is no whole number from 0 to " + std::to_string(most));
    }
    return value;
  }
  std::string rest() {
    std::string text;
    std::getline(text_ >> std::ws, text);
    return text;
  }
  void end() {
    std::string more;
    if (text_ >> more) fail("'" + more + "' is too much");
  }
  [[noreturn]] void fail(const std::string& what) const {
    throw BadMachine("machine, line " + std::to_string(number_) + ": " + what);
  }

 private:
  int number_;
  std::istringstream text_;
  std::string subject_;
};

constexpr std::int64_t kMostRanks = 1 << 30;
constexpr std::int64_t kMostBytes = std::int64_t{1} << 50;

Level read_level(Line& line, const Machine& machine) {
  Level level;
  level.ranks = static_cast<int>(line.whole("RANKS", kMostRanks));
  level.link_per_byte = line.number("LINK_PER_BYTE");
  level.medium_per_byte = line.number("MEDIUM_PER_BYTE");
  level.name = line.rest();
  if (!machine.levels.empty()) {
    const Level& below = machine.levels.back();
    if (below.ranks == 0) line.fail("a level follows the last, whose RANKS is 0");
    if (below.pieces.empty()) line.fail("the level before has no message");
    if (level.ranks != 0 && level.ranks % below.ranks != 0) {
      line.fail("RANKS is no multiple of the level's before");
    }
  }
  return level;
}

CostPiece read_piece(Line& line, const Machine& machine) {
  CostPiece piece;
  piece.from_bytes = line.whole("FROM_BYTES", kMostBytes);
  piece.latency = line.number("L");
  piece.send_overhead = line.number("O_SEND");
  piece.recv_overhead = line.number("O_RECV");
  piece.overhead_per_byte = line.number("O_PER_BYTE");
  piece.gap = line.number("G");
  piece.gap_per_byte = line.number("G_PER_BYTE");
  line.end();
  if (machine.levels.empty()) line.fail("a message before any level");
  const auto& before = machine.levels.back().pieces;
  if (before.empty() ? piece.from_bytes != 0 : piece.from_bytes <= before.back().from_bytes) {
    line.fail("FROM_BYTES must be 0 first, then rise");
  }
  return piece;
}

void read_line(Line& line, Machine& machine) {
  if (line.subject() == "machine") {
    machine.name = line.rest();
  } else if (line.subject() == "copy") {
    machine.copy = line.number("CONSTANT");
    machine.copy_per_byte = line.number("PER_BYTE");
    line.end();
  } else if (line.subject() == "reduce") {
    machine.reduce = line.number("CONSTANT");
    machine.reduce_per_byte = line.number("PER_BYTE");
    line.end();
  } else if (line.subject() == "page_fault") {
    machine.page_fault = line.number("CONSTANT");
    line.end();
  } else if (line.subject() == "level") {
    machine.levels.push_back(read_level(line, machine));
  } else if (line.subject() == "message") {
    const CostPiece piece = read_piece(line, machine);
    machine.levels.back().pieces.push_back(piece);
  } else {
    line.fail("unknown word '" + line.subject() + "'");
  }
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
    if (level.ranks == 0) break;
    Layout::Groups& groups = levels.emplace_back(level.name);
    for (Rank rank = 0; rank < ranks; ++rank) {
      groups.group_of.push_back(machine.place_of(rank) / level.ranks);
    }
  }
  return Layout(std::move(levels));
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
          .wire = piece.latency + stream};
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

Machine read_machine(std::istream& text) {
  Machine machine;
  int number = 0;
  for (std::string words; std::getline(text, words);) {
    Line line(++number, words);
    if (!line.subject().empty()) read_line(line, machine);
  }
  const Line end(number + 1, "");
  if (machine.levels.empty()) end.fail("there is no level");
  if (machine.levels.back().pieces.empty()) end.fail("the last level has no message");
  if (machine.levels.back().ranks != 0) end.fail("the last level must have RANKS 0: all");
  return machine;
}

}  // namespace stretto
