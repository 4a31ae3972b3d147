// How much there is of a rank's that a call which tests or waits for requests has to see to. Where
// there is nothing it goes straight to the MPI: programs call these most often of all, some of them
// between any two accesses to a large table, and the fewer instructions lie between, the more
// accesses a core has under way at once. Collectives that are the MPI's do so, too.
#pragma once

#include <atomic>

#include "base/rank_context.hpp"

namespace stretto {

// By what is pending in the background, requests that the MPI has not freed, persistent
// collectives, types and operations to be freed now, and that the MPI's locks are on; before the
// program can know of it.
inline void raise_attention(int change) {
  RankContext::current().attention.fetch_add(change, std::memory_order_relaxed);
}

// False, too, on a thread that has asked for nothing of its rank's yet.
[[nodiscard, gnu::always_inline]] inline bool needs_no_attention() {
  const RankContext* const rank = this_thread.rank;
  return rank != nullptr && rank->attention.load(std::memory_order_relaxed) == 0;
}

}  // namespace stretto
