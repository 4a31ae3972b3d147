#include "model/scenario.hpp"

#include <algorithm>
#include <cmath>

#include "base/lines.hpp"
#include "base/words.hpp"

namespace stretto::model {
namespace {

constexpr std::int64_t kMostRanks = 1 << 30;
constexpr std::int64_t kMostMeasured = 1 << 16;
constexpr std::int64_t kMostCalls = 1000;
constexpr std::int64_t kMostBytes = std::int64_t{1} << 50;

class Reader {
 public:
  std::vector<Scenario> read(std::string_view text) {
    while (!text.empty()) {
      ++number_;
      read_line(take_line(text));
    }
    finish();
    if (scenarios_.empty()) fail("there is no scenario");
    return std::move(scenarios_);
  }

 private:
  void read_line(std::string_view line) {
    WordReader rest(line);
    const std::string_view subject = rest.word();
    if (subject.empty()) return;
    if (subject == "scenario") {
      finish();
      scenarios_.emplace_back();
      scenarios_.back().name = rest.rest();
    } else if (scenarios_.empty()) {
      fail("a scenario must come first");
    } else if (!machine_.empty() || subject == "machine") {
      (machine_ += line) += '\n';
    } else {
      set(subject, rest, scenarios_.back());
    }
  }

  void set(std::string_view subject, WordReader& rest, Scenario& scenario) {
    if (subject == "computing") {
      scenario.computing = factor(rest);
    } else if (subject == "point_to_point") {
      scenario.point_to_point = factor(rest);
    } else if (subject == "overlap") {
      if (word(rest) != "perfect") fail("overlap is perfect where it is named");
      scenario.overlap = true;
    } else if (subject == "ranks_per_host") {
      scenario.ranks_per_host = static_cast<int>(whole(rest, 1, kMostRanks));
    } else if (subject == "network") {
      const double latency = factor(rest);
      scenario.slower = {.latency = latency, .per_byte = factor(rest)};
    } else if (subject == "collective") {
      CollectiveRule& rule = rule_for(word(rest), scenario);
      rule.factor = factor(rest);
    } else if (subject == "measured") {
      measured(rest, scenario);
    } else if (subject == "algorithm") {
      force(rest, scenario);
    } else {
      fail(words("unknown word '", subject, "'"));
    }
    if (!rest.is_at_end()) fail(words("'", rest.word(), "' is too much"));
  }

  void measured(WordReader& rest, Scenario& scenario) const {
    const Collective collective = known(word(rest));
    if (is_neighborhood(collective)) fail("a neighbourhood collective cannot be measured alone");
    auto& list = scenario.collectives[static_cast<std::size_t>(collective)].measured;
    const std::int64_t bytes = whole(rest, 0, kMostBytes);
    const auto ranks = static_cast<int>(whole(rest, 2, kMostMeasured));
    if (!list.empty() && bytes <= list.back().bytes) fail("BYTES must rise");
    list.push_back({.bytes = bytes, .ranks = ranks, .time = factor(rest)});
    list.back().cold = list.back().time;
    if (!rest.is_at_end()) list.back().calls = static_cast<int>(whole(rest, 1, kMostCalls));
    if (!rest.is_at_end()) list.back().cold = factor(rest);
  }

  CollectiveRule& rule_for(std::string_view name, Scenario& scenario) const {
    return scenario.collectives[static_cast<std::size_t>(known(name))];
  }

  void force(WordReader& rest, Scenario& scenario) const {
    const Collective collective = known(word(rest));
    const Algorithm* algorithm = find_algorithm(collective, word(rest));
    if (algorithm == nullptr) fail("there is no such algorithm");
    scenario.algorithms[static_cast<std::size_t>(collective)].algorithm = algorithm;
  }

  [[nodiscard]] Collective known(std::string_view name) const {
    const auto collective = find_collective(name);
    if (!collective) fail(words("there is no collective '", name, "'"));
    return *collective;
  }

  [[nodiscard]] std::string_view word(WordReader& rest) const {
    const std::string_view text = rest.word();
    if (text.empty()) fail("a word is missing");
    return text;
  }

  [[nodiscard]] double factor(WordReader& rest) const {
    double value = -1;
    if (!rest.read(value) || !std::isfinite(value) || value < 0) {
      fail("a number of 0 or more is missing");
    }
    return value;
  }

  [[nodiscard]] std::int64_t whole(WordReader& rest, std::int64_t least, std::int64_t most) const {
    std::int64_t value = -1;
    if (!rest.read(value) || value < least || value > most) {
      fail(words("a whole number from ", least, " to ", most, " is missing"));
    }
    return value;
  }

  void finish() {
    if (scenarios_.empty()) return;
    scenarios_.back().machine = read_machine(machine_);
    machine_.clear();
  }

  [[noreturn]] void fail(const std::string& what) const {
    throw BadMachine(words("scenarios, line ", number_, ": ", what));
  }

  std::vector<Scenario> scenarios_;
  std::string machine_;  // of the last scenario, so far
  int number_ = 0;
};

double log_of(std::int64_t bytes) {
  return std::log2(static_cast<double>(std::max<std::int64_t>(bytes, 1)));
}

double corrected(const std::vector<Correction>& list, std::int64_t bytes,
                 double Correction::* what) {
  if (list.empty()) return 1;
  const auto above =
      std::upper_bound(list.begin(), list.end(), bytes,
                       [](std::int64_t size, const Correction& each) { return size < each.bytes; });
  if (above == list.begin()) return *above.*what;
  const auto below = std::prev(above);
  if (above == list.end() || log_of(above->bytes) == log_of(below->bytes)) return *below.*what;
  const double part =
      (log_of(bytes) - log_of(below->bytes)) / (log_of(above->bytes) - log_of(below->bytes));
  return *below.*what + part * (*above.*what - *below.*what);
}

}  // namespace

double Scenario::factor(Collective collective, std::int64_t bytes, bool cold) const {
  const CollectiveRule& rule = collectives[static_cast<std::size_t>(collective)];
  const auto what = cold ? &Correction::cold : &Correction::factor;
  return rule.factor == 0 ? 0 : rule.factor * corrected(rule.corrections, bytes, what);
}

std::vector<Scenario> read_scenarios(std::string_view text) { return Reader().read(text); }

}  // namespace stretto::model
