#include "base/rank_context.hpp"

#include <cstdlib>
#include <mutex>

namespace stretto {
namespace {

constinit std::mutex numbering;
constinit int numbered = 0;
constinit std::array<void (*)(void*), RankContext::kMostParts> destroyers{};

}  // namespace

RankContext& RankContext::of_process() {
  static auto* const process = new RankContext;
  this_thread.rank = process;  // and is not asked for again
  return *process;
}

RankContext::~RankContext() {
  for (std::size_t slot = kMostParts; slot-- > 0;) {
    if (void* const part = parts_[slot]; part != nullptr) destroyers[slot](part);
  }
}

// Not under a lock: making one part may ask for another.
void* RankContext::make(std::atomic<int>& slot, const PartType& type) {
  {
    const std::lock_guard lock(numbering);
    if (slot < 0) {
      if (numbered == static_cast<int>(kMostParts)) std::abort();  // kMostParts is to be raised
      destroyers[static_cast<std::size_t>(numbered)] = type.destroy;
      slot.store(numbered++, std::memory_order_release);
    }
  }
  void* const made = type.create();
  void* before = nullptr;
  if (at(slot).compare_exchange_strong(before, made)) return made;
  type.destroy(made);  // another thread was faster
  return before;
}

}  // namespace stretto
