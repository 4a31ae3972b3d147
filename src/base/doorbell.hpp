// What a thread sleeps by until it is woken: by others of its process, or of another that shares
// the memory it lies in (futex(2)).
#pragma once

#include <atomic>
#include <cstdint>

#include "base/futex.hpp"

namespace stretto {

// All zero it is ready for use. One thread at a time sleeps by it.
class Doorbell {
 public:
  // To be read before one looks at what one would sleep for: a ring since then ends the sleep.
  [[nodiscard]] std::uint32_t rings() const { return rings_.load(); }
  void ring() {
    rings_.fetch_add(1);  // before `asleep_` is read: who goes to sleep does so in the other order
    if (asleep_.load() != 0) futex_wake(rings_, 1);
  }
  // Until it has rung since `rings`, or for `ns`, or, as any sleep may end, not so long.
  void wait(std::uint32_t rings, std::int64_t ns) {
    const timespec most{.tv_sec = ns / 1'000'000'000, .tv_nsec = ns % 1'000'000'000};
    asleep_.store(1);
    if (rings_.load() == rings) futex_wait(rings_, rings, &most);
    asleep_.store(0);
  }

  // Does whoever sleeps by it want to be woken by those who wait for it?
  void listen(bool on) { listens_.store(on ? 1 : 0, std::memory_order_relaxed); }
  [[nodiscard]] bool listens() const { return listens_.load(std::memory_order_relaxed) != 0; }
  // Rings where that is so, once: until it listens anew.
  void ring_listener() {
    if (listens() && listens_.exchange(0) != 0) ring();
  }

 private:
  FutexWord rings_{0};
  std::atomic<std::uint32_t> asleep_{0};
  std::atomic<std::uint32_t> listens_{0};
};

}  // namespace stretto
