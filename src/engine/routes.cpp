#include "engine/routes.hpp"

#include <algorithm>
#include <utility>

namespace stretto {

Routes::Routes(std::span<const Carrier> carriers, std::vector<Rank> ranks)
    : last_{carriers.back().transport, carriers.back().joined.group}, ranks_(std::move(ranks)) {
  for (const auto& [transport, joined] : carriers.first(carriers.size() - 1)) {
    const Via via{transport, joined.group};
    beats_kernel_.below = std::max(beats_kernel_.below, joined.beats_kernel.below);
    beats_kernel_.anew_below = std::max(beats_kernel_.anew_below, joined.beats_kernel.anew_below);
    if (ranks_.empty()) {
      for (const Rank rank : joined.reached) others_.try_emplace(rank, via);
      continue;
    }
    for (std::size_t rank = 0; rank < ranks_.size() && !joined.reached.empty(); ++rank) {
      if (!std::ranges::binary_search(joined.reached, ranks_[rank])) continue;
      others_.try_emplace(static_cast<Rank>(rank), via);
    }
  }
}

}  // namespace stretto
