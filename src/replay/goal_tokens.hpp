// The words of a GOAL schedule.
#pragma once

#include <cstdint>
#include <istream>
#include <string>

namespace stretto::replay {

enum class TokenKind : std::uint8_t { word, number, symbol, line_end, end };

struct Token {
  TokenKind kind{};
  std::string text{};       // word, symbol
  std::int64_t number = 0;  // -1 stands for any
};

// One after the other; comments are nothing, but for the line ends in them.
class Tokens {
 public:
  explicit Tokens(std::istream& text) : text_(*text.rdbuf()) {}

  // Throws BadGoal.
  [[nodiscard]] Token next();
  // Of the token that came last.
  [[nodiscard]] int line() const { return line_; }

 private:
  [[nodiscard]] Token number(int first);
  void skip_comment();

  std::streambuf& text_;
  int line_ = 1;
  bool line_is_over_ = false;
};

}  // namespace stretto::replay
