#include "base/json.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace stretto {
namespace {

// Of the character that the text begins with; 0: it is none. RFC 3629, 4.
std::size_t utf8_size(std::string_view text) {
  const auto byte = [&](std::size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
  };
  const auto continues = [&](std::size_t i) { return (byte(i) & 0xc0U) == 0x80; };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  if (first >= 0xc2 && first < 0xe0) return continues(1) ? 2 : 0;
  if (first >= 0xe0 && first < 0xf0) {
    const bool is_short = first == 0xe0 && byte(1) < 0xa0;
    const bool is_surrogate = first == 0xed && byte(1) >= 0xa0;
    return continues(1) && continues(2) && !is_short && !is_surrogate ? 3 : 0;
  }
  if (first >= 0xf0 && first < 0xf5) {
    const bool is_short = first == 0xf0 && byte(1) < 0x90;
    const bool is_beyond = first == 0xf4 && byte(1) >= 0x90;
    return continues(1) && continues(2) && continues(3) && !is_short && !is_beyond ? 4 : 0;
  }
  return 0;
}

}  // namespace

Json& Json::key(std::string_view name) {
  separate();
  quote(name);
  text_ += ':';
  first_ = true;
  return *this;
}

Json& Json::value(std::string_view text) {
  separate();
  quote(text);
  return *this;
}

Json& Json::value(bool truth) {
  separate();
  text_ += truth ? "true" : "false";
  return *this;
}

Json& Json::value(double number) {
  separate();
  std::array<char, 32> digits{};  // the shortest that reads back the same
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
  text_.append(digits.data(), end);
  return *this;
}

Json& Json::null() {
  separate();
  text_ += "null";
  return *this;
}

Json& Json::open(char bracket) {
  separate();
  text_ += bracket;
  first_ = true;
  return *this;
}

Json& Json::close(char bracket) {
  text_ += bracket;
  first_ = false;
  return *this;
}

void Json::separate() {
  if (!first_) text_ += ',';
  first_ = false;
}

// Control characters, and bytes that are no UTF-8, as names of files may have them, come out as
// U+FFFD: what is written is JSON whatever it is.
void Json::quote(std::string_view text) {
  constexpr std::string_view kReplacement = "\xef\xbf\xbd";
  text_ += '"';
  while (!text.empty()) {
    const std::size_t size = utf8_size(text);
    const char c = text.front();
    if (size == 0 || (size == 1 && static_cast<unsigned char>(c) < 0x20)) {
      text_ += kReplacement;
    } else {
      if (c == '"' || c == '\\') text_ += '\\';
      text_ += text.substr(0, size);
    }
    text.remove_prefix(std::max<std::size_t>(size, 1));
  }
  text_ += '"';
}

}  // namespace stretto
