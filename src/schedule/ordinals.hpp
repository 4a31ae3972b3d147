// How many messages there were so far with each peer.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/span.hpp"

namespace stretto {

// Most schedules have few peers among up to a million ranks, so a small hash table comes first;
// those with many get one by peer.
class Ordinals {
 public:
  // 0 for the first message with `peer`, then 1, ...
  std::int32_t next(Rank peer) {
    if (listed_ > kMostListed) return at(peer)++;
    constexpr std::uint32_t kGolden = 0x9e3779b9;  // 2^32 over the golden ratio mixes upper bits
    std::size_t i = static_cast<std::uint32_t>(peer) * kGolden >> (32 - kBits);
    for (; list_[i].count > 0; i = (i + 1) % list_.size()) {
      if (list_[i].peer == peer) return list_[i].count++;
    }
    if (++listed_ > kMostListed) return next_of_many(peer);
    list_[i] = {peer, 1};
    return 0;
  }

 private:
  struct Known {
    Rank peer = 0;
    std::int32_t count = 0;  // 0: a free place
  };

  [[gnu::cold]] std::int32_t next_of_many(Rank peer) {
    for (const auto& [known, count] : list_) {
      if (count > 0) at(known) = count;
    }
    return at(peer)++;
  }

  std::int32_t& at(Rank peer) {
    const auto index = static_cast<std::size_t>(peer);
    if (index >= table_.size()) table_.resize(index + 1);
    return table_[index];
  }

  static constexpr int kBits = 6;
  static constexpr std::size_t kMostListed = std::size_t{1} << (kBits - 1);

  std::size_t listed_ = 0;
  std::array<Known, 2 * kMostListed> list_{};
  std::vector<std::int32_t> table_;  // by peer; empty while the list is short
};

}  // namespace stretto
