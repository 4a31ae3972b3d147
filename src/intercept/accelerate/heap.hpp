// MPIs allocate vectors for each reduction. Until something as long has once been mapped and freed,
// glibc may give the pages back to the kernel after each, and takes them anew for the next; by
// chance on some ranks and not on others, and with a library that allocates beside the program the
// chance is worse.
#pragma once

#include "mpi/call.hpp"

namespace stretto::intercept::accelerate {

// From now on the heap keeps them. It costs programs without long reductions something, so they are
// left as they are: their long buffers, too, are then pieces of the heap, no longer mapped one by
// one, and copies between buffers that are not aligned alike take longer. What the program has set
// of malloc(3) stays.
void let_heap_keep_vectors();

// Is memory taken for what it reduces that the heap would not keep?
[[nodiscard, gnu::always_inline]] inline bool takes_vectors(const Call& call) {
  constexpr Count kLong = 16'384;  // elements: 128 KiB, from which on glibc maps, of doubles
  return reduces(call.collective) &&
         (call.recvcount >= kLong || (call.recvcounts && call.recvcounts[0] >= kLong));
}

// This call is about to be run, by the MPI or by Stretto, which takes memory for it as well.
[[gnu::always_inline]] inline void expect_vectors(const Call& call) {
  if (takes_vectors(call)) [[unlikely]]
    let_heap_keep_vectors();
}

}  // namespace stretto::intercept::accelerate
