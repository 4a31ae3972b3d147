#include "base/json.hpp"

#include <array>
#include <charconv>

namespace stretto {

Json& Json::key(std::string_view name) {
  separate();
  quote(name);
  out_ << ':';
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
  out_ << (truth ? "true" : "false");
  return *this;
}

Json& Json::value(double number) {
  separate();
  std::array<char, 32> digits{};  // the shortest that reads back the same
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
  out_ << std::string_view(digits.data(), static_cast<std::size_t>(end - digits.data()));
  return *this;
}

Json& Json::null() {
  separate();
  out_ << "null";
  return *this;
}

Json& Json::open(char bracket) {
  separate();
  out_ << bracket;
  first_ = true;
  return *this;
}

Json& Json::close(char bracket) {
  out_ << bracket;
  first_ = false;
  return *this;
}

void Json::separate() {
  if (!first_) out_ << ',';
  first_ = false;
}

// What is written here has no control characters: names and our own sentences.
void Json::quote(std::string_view text) {
  out_ << '"';
  for (const char c : text) {
    if (c == '"' || c == '\\') out_ << '\\';
    out_ << c;
  }
  out_ << '"';
}

}  // namespace stretto
