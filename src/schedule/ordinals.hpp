// How many messages there were so far with each peer.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "base/span.hpp"

namespace stretto {

// Most schedules have few peers among up to a million ranks, so a short list comes first; those
// with many get a table.
class Ordinals {
 public:
  // 0 for the first message with `peer`, then 1, ...
  std::int32_t next(Rank peer) {
    if (table_.empty()) {
      for (auto& [known, count] : list_) {
        if (known == peer) return count++;
      }
      if (list_.size() < kLongList) {
        list_.emplace_back(peer, 1);
        return 0;
      }
      for (const auto& [known, count] : list_) at(known) = count;
    }
    return at(peer)++;
  }

 private:
  static constexpr std::size_t kLongList = 32;

  std::int32_t& at(Rank peer) {
    const auto index = static_cast<std::size_t>(peer);
    if (index >= table_.size()) table_.resize(index + 1);
    return table_[index];
  }

  std::vector<std::pair<Rank, std::int32_t>> list_;
  std::vector<std::int32_t> table_;  // by peer; empty while the list is short
};

}  // namespace stretto
