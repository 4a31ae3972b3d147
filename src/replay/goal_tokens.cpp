#include "replay/goal_tokens.hpp"

#include <cctype>

#include "replay/goal.hpp"

namespace stretto::replay {
namespace {

constexpr int kEnd = std::char_traits<char>::eof();
constexpr std::int64_t kMostNumber = std::int64_t{1} << 50;
constexpr std::size_t kMostLetters = 256;

bool is_letter(int c) { return c != kEnd && (std::isalnum(c) != 0 || c == '_'); }

std::string shown(int c) {
  return c > ' ' && c < 127 ? "'" + std::string(1, static_cast<char>(c)) + "'"
                            : "a byte that is no letter";
}

}  // namespace

Token Tokens::next() {
  if (line_is_over_) {
    ++line_;
    line_is_over_ = false;
  }
  for (;;) {
    const int c = text_.sbumpc();
    if (c == kEnd) return {.kind = TokenKind::end};
    if (c == ' ' || c == '\t' || c == '\r') continue;
    if (c == '\n') {
      line_is_over_ = true;
      return {.kind = TokenKind::line_end};
    }
    if (c == '/') {
      skip_comment();
      continue;
    }
    if (c == ':' || c == '{' || c == '}') {
      return {.kind = TokenKind::symbol, .text = std::string(1, static_cast<char>(c))};
    }
    if (c == '-' || std::isdigit(c) != 0) return number(c);
    if (std::isalpha(c) == 0) throw BadGoal(line_, shown(c) + " stands where nothing begins so");
    Token word{.kind = TokenKind::word, .text = std::string(1, static_cast<char>(c))};
    while (is_letter(text_.sgetc())) {
      word.text += static_cast<char>(text_.sbumpc());
      if (word.text.size() > kMostLetters) throw BadGoal(line_, "a word is too long");
    }
    return word;
  }
}

Token Tokens::number(int first) {
  Token token{.kind = TokenKind::number};
  if (first == '-') {
    if (text_.sbumpc() != '1' || std::isdigit(text_.sgetc()) != 0) {
      throw BadGoal(line_, "of what is below 0 there is -1 alone");
    }
    token.number = -1;
    return token;
  }
  token.number = first - '0';
  while (text_.sgetc() != kEnd && std::isdigit(text_.sgetc()) != 0) {
    token.number = 10 * token.number + (text_.sbumpc() - '0');
    if (token.number > kMostNumber) throw BadGoal(line_, "a number is over 2^50");
  }
  return token;
}

// What ends the line of one that ends with it is not part of it.
void Tokens::skip_comment() {
  const int begin = line_;
  const int kind = text_.sbumpc();
  if (kind == '/') {
    while (text_.sgetc() != kEnd && text_.sgetc() != '\n') text_.sbumpc();
    return;
  }
  if (kind != '*') throw BadGoal(line_, "'/' stands where nothing begins so");
  for (int before = 0;;) {
    const int c = text_.sbumpc();
    if (c == kEnd) throw BadGoal(begin, "a comment has no end");
    if (c == '\n') ++line_;
    if (before == '*' && c == '/') return;
    before = c;
  }
}

}  // namespace stretto::replay
