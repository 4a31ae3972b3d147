#include "intercept/accelerate/heap.hpp"

#include <atomic>
#include <cstdlib>

namespace stretto::intercept::accelerate {

void let_heap_keep_vectors() {
  static constinit std::atomic<bool> kept{false};
  if (kept.load(std::memory_order_relaxed) || kept.exchange(true, std::memory_order_relaxed))
    return;
  constexpr std::size_t kVector = (std::size_t{4} << 20) + (std::size_t{256} << 10);
  void* volatile vector = std::malloc(kVector);
  std::free(vector);
}

}  // namespace stretto::intercept::accelerate
