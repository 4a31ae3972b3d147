#include "bench/suite/plan.hpp"

#include <array>
#include <charconv>
#include <utility>

#include "base/lines.hpp"

namespace stretto::bench {
namespace {

template <class Value, std::size_t count>
using Names = std::array<std::pair<std::string_view, Value>, count>;

constexpr Names<CallForm, 3> kForms{{{"blocking", CallForm::blocking},
                                     {"nonblocking", CallForm::nonblocking},
                                     {"persistent", CallForm::persistent}}};
constexpr Names<Scheme, 7> kSchemes{{{"auto", Scheme::automatic},
                                     {"none", Scheme::none},
                                     {"barrier", Scheme::barrier},
                                     {"double-barrier", Scheme::double_barrier},
                                     {"dissemination", Scheme::dissemination},
                                     {"window", Scheme::window},
                                     {"round-time", Scheme::round_time}}};
constexpr Names<BufferUse, 4> kBufferUses{{{"same", BufferUse::same},
                                           {"rewritten", BufferUse::rewritten},
                                           {"unique", BufferUse::unique},
                                           {"cold", BufferUse::cold}}};

// One word: NAME=VALUE.
class PlanWord {
 public:
  PlanWord(std::string_view text, int line) : text_(text), line_(line) {
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos) bad();
    name_ = text.substr(0, equals);
    value_ = text.substr(equals + 1);
  }

  [[nodiscard]] std::string_view name() const { return name_; }
  [[nodiscard]] std::string text() const { return std::string(value_); }

  template <class Number = int>
  [[nodiscard]] Number number() const {
    return number_in<Number>(value_);
  }
  [[nodiscard]] bool flag() const { return number() != 0; }
  [[nodiscard]] std::vector<std::int64_t> numbers() const {
    std::vector<std::int64_t> found;
    for (std::string_view rest = value_; !rest.empty();) {
      const std::size_t comma = rest.find(',');
      found.push_back(number_in<std::int64_t>(rest.substr(0, comma)));
      rest = comma == std::string_view::npos ? "" : rest.substr(comma + 1);
    }
    return found;
  }
  template <class Value, std::size_t count>
  [[nodiscard]] Value one_of(const Names<Value, count>& names) const {
    for (const auto& [known, value] : names) {
      if (known == value_) return value;
    }
    bad();
  }
  [[noreturn]] void bad() const {
    throw BadPlan("line " + std::to_string(line_) + ": " + std::string(text_));
  }

 private:
  template <class Number>
  [[nodiscard]] Number number_in(std::string_view digits) const {
    Number found{};
    const std::string text(digits);
    const char* const end = text.c_str() + text.size();
    const auto [rest, error] = std::from_chars(text.c_str(), end, found);
    if (error != std::errc{} || rest != end || found < 0) bad();
    return found;
  }

  std::string_view text_;
  int line_;
  std::string_view name_{};
  std::string_view value_{};
};

void set(Settings& settings, const PlanWord& word) {
  const std::string_view name = word.name();
  if (name == "synchronisation") {
    settings.scheme = word.one_of(kSchemes);
  } else if (name == "buffers") {
    settings.buffers = word.one_of(kBufferUses);
  } else if (name == "checks") {
    settings.checks = word.flag();
  } else if (name == "budget_ns") {
    settings.budget_ns = word.number<std::int64_t>();
  } else if (name == "warmup") {
    settings.warmup = word.number();
  } else if (name == "at_least") {
    settings.at_least = word.number();
  } else if (name == "at_most") {
    settings.at_most = word.number();
  } else if (name == "tolerance_ns") {
    settings.tolerance_ns = word.number<std::int64_t>();
  } else if (name == "cell_timeout_s") {
    settings.cell_timeout_s = word.number();
  } else if (name == "skew_ns") {
    settings.skew_ns = word.number<std::int64_t>();
  } else {
    word.bad();
  }
}

void set(BenchCell& cell, const PlanWord& word) {
  const std::string_view name = word.name();
  if (name == "number") {
    cell.number = word.number<std::int64_t>();
  } else if (name == "operation") {
    cell.operation = word.text();
  } else if (name == "form") {
    cell.form = word.one_of(kForms);
  } else if (name == "bytes") {
    cell.bytes = word.number<std::int64_t>();
  } else if (name == "datatype") {
    cell.datatype = word.text();
  } else if (name == "op") {
    cell.op = word.text();
  } else if (name == "in_place") {
    cell.in_place = word.flag();
  } else if (name == "root") {
    cell.root = word.number();
  } else if (name == "root_step") {
    cell.root_step = word.number();
  } else if (name == "comm") {
    cell.comm = word.text();
  } else if (name == "fresh") {
    cell.fresh = word.flag();
  } else if (name == "of_root") {
    cell.of_root = word.flag();
  } else if (name == "counts") {
    cell.counts = word.numbers();
  } else if (name == "compute_ns") {
    cell.compute_ns = word.number<std::int64_t>();
  } else if (name == "tests") {
    cell.tests = word.number();
  } else if (name == "after_ns") {
    cell.after_ns = word.number<std::int64_t>();
  } else if (name == "delays_ns") {
    cell.delays_ns = word.numbers();
  } else if (name == "delays_from") {
    cell.delays_from = word.number<std::int64_t>();
  } else {
    word.bad();
  }
}

}  // namespace

BenchPlan read_plan(std::string_view text) {
  BenchPlan plan;
  for (int number = 1; !text.empty(); ++number) {
    WordReader words(take_line(text));
    const std::string_view kind = words.word();
    if (kind.empty()) continue;
    const bool is_cell = kind == "cell";
    if (!is_cell && kind != "settings") {
      throw BadPlan("line " + std::to_string(number) + ": " + std::string(kind));
    }
    if (is_cell) plan.cells.emplace_back();
    while (!words.is_at_end()) {
      const PlanWord word(words.word(), number);
      if (is_cell) {
        set(plan.cells.back(), word);
      } else {
        set(plan.settings, word);
      }
    }
  }
  return plan;
}

}  // namespace stretto::bench
