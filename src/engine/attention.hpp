// How much there is, on all ranks of this process, that a call which tests or waits for requests has to
// see to. Where there is nothing it goes straight to the MPI: programs call these most often of all,
// some of them between any two accesses to a large table, and the fewer instructions lie between, the
// more accesses a core has under way at once.
#pragma once

#include <atomic>

namespace stretto {

// What is pending in the background, requests that the MPI has not freed, persistent collectives,
// things to be freed, and that the MPI's locks are on. Counted before the program can know of it.
inline constinit std::atomic<int> attention{0};

[[nodiscard, gnu::always_inline]] inline bool needs_no_attention() {
  return attention.load(std::memory_order_relaxed) == 0;
}

}  // namespace stretto
