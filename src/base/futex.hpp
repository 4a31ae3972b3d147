// Sleeping by a word in memory, of processes that share it, too (futex(2)).
#pragma once

#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>

namespace stretto {

using FutexWord = std::atomic<std::uint32_t>;
static_assert(FutexWord::is_always_lock_free);

// While the word is `value`: until it is woken, or for `at_most` where that is given, or, as any
// sleep may end, not so long.
inline void futex_wait(const FutexWord& word, std::uint32_t value, const timespec* at_most) {
  ::syscall(SYS_futex, &word, FUTEX_WAIT, value, at_most, nullptr, 0);
}

inline void futex_wake(const FutexWord& word, int how_many) {
  ::syscall(SYS_futex, &word, FUTEX_WAKE, how_many, nullptr, nullptr, 0);
}

}  // namespace stretto
