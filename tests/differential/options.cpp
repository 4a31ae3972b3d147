#include "options.hpp"

#include <charconv>
#include <cstdio>
#include <string_view>

namespace differential {
namespace {

template <class Number>
bool read(std::string_view text, Number& number) {
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  return error == std::errc{} && stop == end;
}

bool read_list(std::string_view text, std::optional<std::set<Id>>& numbers) {
  numbers.emplace();
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    Id number = 0;
    if (!read(text.substr(0, comma), number)) return false;
    numbers->insert(number);
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return true;
}

bool* find_switch(Options& options, std::string_view name) {
  if (name == "--describe") return &options.describe;
  if (name == "--plain") return &options.simpler.plain;
  if (name == "--prompt") return &options.simpler.prompt;
  if (name == "--trusted") return &options.manner.trusted;
  if (name == "--callbacks") return &options.callbacks;
  if (name == "--threads") return &options.manner.threads;
  return name == "--in-turn" ? &options.simpler.in_turn : nullptr;
}

bool read_value(Options& options, std::string_view name, std::string_view value) {
  if (name == "--seed") return read(value, options.seed);
  if (name == "--first") return read(value, options.first);
  if (name == "--count") return read(value, options.count);
  if (name == "--most-count") return read(value, options.simpler.most_count);
  if (name == "--most-communicators") return read(value, options.simpler.most_communicators);
  if (name == "--keep") return read_list(value, options.simpler.keep);
  if (name != "--out") return false;
  options.out = value;
  return true;
}

}  // namespace

std::optional<Options> parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    if (bool* const found = find_switch(options, argv[i])) {
      *found = true;
    } else if (i + 1 == argc || !read_value(options, argv[i], argv[i + 1])) {
      std::fprintf(stderr, "sequences: cannot read %s; see the head of sequences.cpp\n", argv[i]);
      return std::nullopt;
    } else {
      ++i;
    }
  }
  options.manner.in_turn = options.simpler.in_turn;
  return options;
}

}  // namespace differential
