// What was learned of a kind of call, and the file that keeps it for later runs: TOML, with the
// measured times as evidence.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "selection/learning.hpp"

namespace stretto {

// On communicators of so many ranks on so many hosts.
struct Learned {
  Contests::Kind kind;
  int ranks = 0;
  int hosts = 0;
  std::string winner;                                      // as label_of says it
  std::vector<std::pair<std::string, double>> times_us{};  // of all that took part

  [[nodiscard]] bool is_of_same(const Learned& other) const {
    return kind == other.kind && ranks == other.ranks && hosts == other.hosts;
  }
};

// "learned: allreduce, 4096 to 8191 B, 8 ranks: ring 20.1 us (native 33.0, binomial 25.9)"
[[nodiscard]] std::string in_words(const Learned& learned);

// Where it holds: lines of TOML. What another machine, MPI or layout has taught is of no use.
[[nodiscard]] std::string text_of(const std::vector<Learned>& all, std::string_view fingerprint);

struct LearnedFile {
  std::string fingerprint;
  std::vector<Learned> all;
};
// Nothing where it is not a whole file of that kind.
[[nodiscard]] std::optional<LearnedFile> read_learned(std::string_view text);

}  // namespace stretto
