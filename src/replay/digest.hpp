// Whether two sequences are the same, found without unfolding them.
#pragma once

#include <cstdint>
#include <vector>

#include "trace/folded.hpp"

namespace stretto::replay {

// Of a sequence of words w: the polynomial of the w in a fixed base modulo 2^61 - 1, and the base
// to the power of their number. Karp and Rabin, "Efficient randomized pattern-matching algorithms",
// 1987.
struct Digest {
  std::uint64_t value = 0;
  std::uint64_t power = 1;

  friend bool operator==(const Digest&, const Digest&) = default;
};

// Of what a folded sequence unfolds to, where item i stands for words[i].
[[nodiscard]] Digest digest_of(const trace::Folded& folded,
                               const std::vector<std::uint64_t>& words);

// How often each item happens.
[[nodiscard]] std::vector<std::int64_t> times_of_items(const trace::Folded& folded,
                                                       std::size_t items);

}  // namespace stretto::replay
