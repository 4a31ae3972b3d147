#include "selection/learned.hpp"

#include <array>
#include <charconv>

#include "base/number.hpp"

namespace stretto {
namespace {

constexpr std::string_view kHead =
    "# What Stretto learned while a program ran: which algorithm was the fastest for which calls.\n"
    "# Times are medians of single calls on the slowest rank, as the program saw them.\n";
constexpr std::string_view kEntry = "[[learned]]";
constexpr std::string_view kTimes = "[learned.times_us]";

Count least_of(std::size_t size_class) {
  return size_class == 0 ? 0 : Count{1} << (size_class - 1);
}
Count most_of(std::size_t size_class) { return (Count{1} << size_class) - 1; }

// "4096 to 8191 B"
std::string sizes_in_words(std::size_t size_class) {
  const std::string least = std::to_string(least_of(size_class));
  if (size_class < 2) return least + " B";
  return least + " to " + std::to_string(most_of(size_class)) + " B";
}

std::string in_quotes(std::string_view text) { return '"' + std::string(text) + '"'; }

std::string_view without_quotes(std::string_view text) {
  const bool has = text.size() >= 2 && text.front() == '"' && text.back() == '"';
  return has ? text.substr(1, text.size() - 2) : std::string_view{};
}

// Whatever the program's locale is.
std::string in_digits(double number, int decimals) {
  std::array<char, 64> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number,
                                 std::chars_format::fixed, decimals);
  return {digits.data(), end.ptr};
}

void append_line(std::string& text, std::string_view key, std::string_view value) {
  text.append(key).append(" = ").append(value).append("\n");
}

// A line after the other.
class TextLines {
 public:
  explicit TextLines(std::string_view text) : rest_(text) {}
  // False at the end, of which an unfinished line is none.
  bool next() {
    const std::size_t end = rest_.find('\n');
    if (end == std::string_view::npos) return false;
    line_ = rest_.substr(0, end);
    rest_.remove_prefix(end + 1);
    return true;
  }
  [[nodiscard]] std::string_view line() const { return line_; }
  // Of "key = value"; both empty for other lines.
  [[nodiscard]] std::pair<std::string_view, std::string_view> pair() const {
    constexpr std::string_view kIs = " = ";
    const std::size_t at = line_.rfind(kIs);
    if (at == std::string_view::npos) return {};
    return {line_.substr(0, at), line_.substr(at + kIs.size())};
  }

 private:
  std::string_view rest_;
  std::string_view line_;
};

bool set_number(std::string_view value, int& number) {
  const auto read = number_in<int>(value);
  number = read.value_or(0);
  return read.has_value();
}

constexpr double kLongestUs = 1e12;  // ten days

bool set_time(std::string_view label, std::string_view value, Learned& entry) {
  const auto us = number_in<double>(value);
  const bool is_time = us && *us >= 0 && *us < kLongestUs;
  if (!is_time) return false;
  entry.times_us.emplace_back(without_quotes(label), *us);
  return true;
}

// False where the value is none.
bool set(std::string_view key, std::string_view value, Learned& entry) {
  if (key.starts_with('"')) return set_time(key, value, entry);
  if (key == "collective") {
    const auto collective = find_collective(without_quotes(value));
    entry.kind.collective = collective.value_or(Collective::barrier);
    return collective.has_value();
  }
  if (key == "from_bytes") {
    const auto bytes = number_in<long>(value);
    for (std::size_t i = 0; i < Contests::kSizes; ++i) {
      if (bytes != least_of(i)) continue;
      entry.kind.size_class = i;
      return true;
    }
    return false;
  }
  if (key == "commutative") {
    entry.kind.commutative = value == "true";
    return entry.kind.commutative || value == "false";
  }
  if (key == "ranks") return set_number(value, entry.ranks);
  if (key == "hosts") return set_number(value, entry.hosts);
  if (key == "winner") entry.winner = without_quotes(value);
  return true;
}

}  // namespace

std::string in_words(const Learned& learned) {
  constexpr int kDecimals = 1;
  std::string winner = learned.winner;
  std::string others;
  for (const auto& [label, us] : learned.times_us) {
    const std::string time = " " + in_digits(us, kDecimals);
    if (label == learned.winner) {
      winner += time + " us";
    } else {
      others.append(others.empty() ? " (" : ", ").append(label).append(time);
    }
  }
  return "learned: " + std::string(name_of(learned.kind.collective)) + ", " +
         sizes_in_words(learned.kind.size_class) + ", " + std::to_string(learned.ranks) +
         " ranks: " + winner + (others.empty() ? "" : others + ")");
}

std::string text_of(const std::vector<Learned>& all, std::string_view fingerprint) {
  constexpr int kDecimals = 3;
  std::string text(kHead);
  text.append("\n[run]\n").append(fingerprint);
  for (const Learned& each : all) {
    text.append("\n").append(kEntry).append("\n");
    append_line(text, "collective", in_quotes(name_of(each.kind.collective)));
    append_line(text, "ranks", std::to_string(each.ranks));
    append_line(text, "hosts", std::to_string(each.hosts));
    append_line(text, "from_bytes", std::to_string(least_of(each.kind.size_class)));
    append_line(text, "to_bytes", std::to_string(most_of(each.kind.size_class)));
    append_line(text, "commutative", each.kind.commutative ? "true" : "false");
    append_line(text, "winner", in_quotes(each.winner));
    text.append(kTimes).append("\n");
    for (const auto& [label, us] : each.times_us) {
      append_line(text, in_quotes(label), in_digits(us, kDecimals));
    }
  }
  // So a file that was cut off is known for one.
  text.append("\n[end]\n");
  return text;
}

std::optional<LearnedFile> read_learned(std::string_view text) {
  LearnedFile file;
  bool has_ended = false;
  bool in_run = false;
  TextLines lines(text);
  while (lines.next()) {
    const std::string_view line = lines.line();
    if (line.empty() || line.starts_with('#')) continue;
    if (line.starts_with('[')) {
      in_run = line == "[run]";
      has_ended = line == "[end]";
      if (line == kEntry) file.all.emplace_back();
      continue;
    }
    if (in_run) {
      file.fingerprint.append(line).append("\n");
    } else if (!file.all.empty()) {
      const auto [key, value] = lines.pair();
      if (!set(key, value, file.all.back())) return std::nullopt;
    }
  }
  if (!has_ended) return std::nullopt;
  return file;
}

}  // namespace stretto
