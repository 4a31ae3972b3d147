// Blocks of neighbourhood collectives that came before their receiver waited for them.
#pragma once

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

namespace stretto::model {

// Of one rank. A key names a collective; a block has a `sender`.
template <class Key, class Block>
class Inbox {
 public:
  void add(const Key& collective, Block block) { came_[collective].push_back(std::move(block)); }
  [[nodiscard]] bool has(const Key& collective, std::size_t blocks) const {
    const auto came = came_.find(collective);
    return (came == came_.end() ? 0 : came->second.size()) >= blocks;
  }
  // All of them, by sender: not in the order in which they happened to come, which is another in
  // each run.
  [[nodiscard]] std::vector<Block> take(const Key& collective) {
    const auto came = came_.extract(collective);
    if (came.empty()) return {};
    std::vector<Block> blocks = std::move(came.mapped());
    std::stable_sort(blocks.begin(), blocks.end(),
                     [](const Block& a, const Block& b) { return a.sender < b.sender; });
    return blocks;
  }
  // That nobody took.
  [[nodiscard]] std::size_t left() const {
    std::size_t blocks = 0;
    for (const auto& [collective, came] : came_) blocks += came.size();
    return blocks;
  }

 private:
  std::map<Key, std::vector<Block>> came_;
};

}  // namespace stretto::model
