// Numbers in text.
#pragma once

#include <charconv>
#include <optional>
#include <string_view>

namespace stretto {

// The one that is all of the text.
template <class Number>
[[nodiscard]] std::optional<Number> number_in(std::string_view text) {
  Number number{};
  const char* const begin = text.data();
  const char* const end = begin + text.size();
  const auto [stop, error] = std::from_chars(begin, end, number);
  if (error != std::errc{} || stop != end) return {};
  return number;
}

}  // namespace stretto
