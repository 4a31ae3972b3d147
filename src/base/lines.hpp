// Reads texts of lines, whose words are apart by spaces and tabs. Numbers are written as in C,
// whatever the program's locale has.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "base/number.hpp"

namespace stretto {

// Takes the first line, without its end, from the front of a text that is not empty.
[[nodiscard]] inline std::string_view take_line(std::string_view& text) {
  const std::size_t size = text.find('\n');
  const std::string_view line = text.substr(0, size);
  text.remove_prefix(size == std::string_view::npos ? text.size() : size + 1);
  return line;
}

class WordReader {
 public:
  explicit WordReader(std::string_view line) : rest_(line) { skip_spaces(); }

  [[nodiscard]] bool is_at_end() const { return rest_.empty(); }
  // The next word; empty at the end.
  std::string_view word() {
    const std::string_view found = rest_.substr(0, rest_.find_first_of(kSpaces));
    rest_.remove_prefix(found.size());
    skip_spaces();
    return found;
  }
  // All that is left, spaces between included.
  std::string_view rest() { return std::exchange(rest_, {}); }

  // The next words into these; false where one is missing, or is no such number, which is finite.
  template <class... Values>
  [[nodiscard]] bool read(Values&... values) {
    return (take(values) && ...);
  }

 private:
  static constexpr std::string_view kSpaces = " \t\n\r\v\f";

  void skip_spaces() {
    rest_.remove_prefix(std::min(rest_.find_first_not_of(kSpaces), rest_.size()));
  }
  bool take(std::string& value) {
    value = word();
    return !value.empty();
  }
  template <class Number>
  bool take(Number& value) {
    const auto number = number_in<Number>(word());
    value = number.value_or(Number{});
    if constexpr (std::is_floating_point_v<Number>) {
      if (!std::isfinite(value)) return false;
    }
    return number.has_value();
  }

  std::string_view rest_;
};

}  // namespace stretto
