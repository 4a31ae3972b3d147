// Which ranks have certainly started when a step is complete: what a barrier is about.
#pragma once

#include <cstdint>
#include <vector>

#include "schedule/step_graph.hpp"

namespace stretto {

class Arrivals {
 public:
  Arrivals(std::size_t steps, int size)
      : words_((static_cast<std::size_t>(size) + 63) / 64), known_(steps * words_) {}

  void add_rank(GlobalStep step, Rank rank) {
    const auto bit = static_cast<std::size_t>(rank);
    known_[step * words_ + bit / 64] |= std::uint64_t{1} << (bit % 64);
  }
  void add_all_of(GlobalStep step, GlobalStep earlier) {
    for (std::size_t w = 0; w < words_; ++w) {
      known_[step * words_ + w] |= known_[earlier * words_ + w];
    }
  }
  [[nodiscard]] bool knows(GlobalStep step, Rank rank) const {
    const auto bit = static_cast<std::size_t>(rank);
    return (known_[step * words_ + bit / 64] >> (bit % 64) & 1) != 0;
  }

 private:
  std::size_t words_;
  std::vector<std::uint64_t> known_;
};

}  // namespace stretto
