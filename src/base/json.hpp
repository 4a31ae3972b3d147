// Appends JSON to a text, one value after the other; commas are its business.
#pragma once

#include <concepts>
#include <string>
#include <string_view>

#include "base/words.hpp"

namespace stretto {

class Json {
 public:
  explicit Json(std::string& text) : text_(text) {}

  Json& begin_object() { return open('{'); }
  Json& end_object() { return close('}'); }
  Json& begin_array() { return open('['); }
  Json& end_array() { return close(']'); }

  Json& key(std::string_view name);
  Json& value(std::string_view text);
  Json& value(const char* text) { return value(std::string_view(text)); }
  Json& value(bool truth);
  Json& value(double number);
  Json& value(std::integral auto number) {
    separate();
    append(text_, number);
    return *this;
  }
  Json& null();

  Json& field(std::string_view name, const auto& content) { return key(name).value(content); }

 private:
  Json& open(char bracket);
  Json& close(char bracket);
  void separate();  // a comma, where something precedes
  void quote(std::string_view text);

  std::string& text_;
  bool first_ = true;
};

}  // namespace stretto
