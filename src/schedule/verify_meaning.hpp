// What MPI promises for each collective: which buffers count on which rank, what
// is in them before and what must be in them after.
#pragma once

#include <cstdint>

#include "schedule/schedule.hpp"
#include "schedule/verify_sets.hpp"

namespace stretto {

// What one element holds: element `element` of the inputs of the ranks in set
// `ranks`. Sets 0..p-1 are the single ranks; see RankSets for the others.
struct Symbol {
  std::int32_t element = 0;
  std::int32_t ranks = kNothing;

  static constexpr std::int32_t kNothing = -1;  // never written

  friend bool operator==(const Symbol&, const Symbol&) = default;
};

// Elements of the user's buffer on rank `me`; 0 where it is not significant.
// `shape` is the communicator's, not one rank's.
[[nodiscard]] Count extent(const Shape& shape, Rank me, Buffer buffer);

// False for the user's data that MPI lets the library only read.
[[nodiscard]] bool may_write(const Shape& shape, Rank me, Buffer buffer);

// What the element at `position` of a user's buffer holds at the start.
[[nodiscard]] Symbol initial(const Shape& shape, Rank me, Buffer buffer, Count position);

// How much of the receive buffer is the result: the first elements of it.
[[nodiscard]] Count result_extent(const Shape& shape, Rank me);

// What `position` of the result must be; kNothing where it must be left alone.
[[nodiscard]] Symbol expected(const Shape& shape, Rank me, Count position, const RankSets& sets);

}  // namespace stretto
