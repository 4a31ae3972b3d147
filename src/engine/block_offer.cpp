#include "engine/block_offer.hpp"

#include <algorithm>
#include <memory>
#include <vector>

#include "selection/in_memory.hpp"

namespace stretto {
namespace {

constexpr int kFirstFlag = 16;  // a flag for each set, from here on
static_assert(kFirstFlag + shm::SharedBlocks::kSets < 63);
static_assert(kMostWithBlocks <= shm::RootSends::kMostRanks);

}  // namespace

BlockOffer::BlockOffer(const Members& members, const Communicator& made)
    : sets_(made.channel->block_sets) {
  const auto may = [&made](const Carrier& carrier) {
    return carrier.joined.shared.size() >= static_cast<std::size_t>(made.size);
  };
  if (members.is_inter || made.size > kMostWithBlocks) return;
  if (std::ranges::any_of(made.channel->carriers, may)) offered_ = sets_.offer();
}

std::uint64_t BlockOffer::flags() const { return std::uint64_t{offered_} << kFirstFlag; }

void BlockOffer::settle(const Agreement& agreement) {
  const auto common = static_cast<shm::BlockSets::Bits>(agreement.flags >> kFirstFlag);
  set_ = sets_.take(offered_, agreement.error == MPI_SUCCESS ? common & offered_ : 0);
}

void BlockOffer::give_to(Communicator& made) const {
  if (set_ < 0 || !made.around.shares_memory || made.around.device_buffers) return;
  for (const auto& [transport, joined] : made.channel->carriers) {
    if (joined.shared.empty()) continue;
    std::vector<std::byte*> memory;
    for (Rank rank = 0; rank < made.size; ++rank) {
      const auto place = std::ranges::lower_bound(joined.reached, made.routes.number_of(rank));
      memory.push_back(joined.shared[static_cast<std::size_t>(place - joined.reached.begin())]);
    }
    made.shared_blocks = std::make_unique<shm::SharedBlocks>(memory, made.rank, set_);
    if (set_ >= shm::RootSends::kSets) continue;
    for (std::byte*& base : memory) base += shm::SharedBlocks::kMemory;
    made.root_sends = std::make_unique<shm::RootSends>(memory, made.rank, set_);
  }
  made.around.has_shared_blocks = made.shared_blocks != nullptr;
  made.around.has_long_blocks =
      made.shared_blocks != nullptr && set_ < shm::SharedBlocks::kLongSets;
}

}  // namespace stretto
