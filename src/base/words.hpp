// Messages to people, of parts. No stream: those drag half a megabyte of locales into a library,
// and write numbers as the program's locale has it.
#pragma once

#include <array>
#include <charconv>
#include <concepts>
#include <string>
#include <string_view>

namespace stretto {

inline void append(std::string& text, std::string_view part) { text += part; }
inline void append(std::string& text, char part) { text += part; }
inline void append(std::string& text, std::integral auto number) {
  std::array<char, 24> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
  text.append(digits.data(), end);
}

[[nodiscard]] inline std::string in_hex(std::unsigned_integral auto number) {
  std::array<char, 16> digits{};
  return {digits.data(),
          std::to_chars(digits.data(), digits.data() + digits.size(), number, 16).ptr};
}

// Everything that can be appended, one after the other.
template <class... Parts>
[[nodiscard]] std::string words(const Parts&... parts) {
  std::string text;
  (append(text, parts), ...);
  return text;
}

}  // namespace stretto
