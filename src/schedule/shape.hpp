// What a collective is asked to do, as far as its schedule depends on it.
//
// Two calls of equal Shape on the same rank have the same schedule, whatever
// their buffers, so a Shape is also the key of the engine's schedule cache.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/span.hpp"

namespace stretto {

enum class Collective : std::uint8_t {
  barrier,
  bcast,
  reduce,
  allreduce,
  gather,
  scatter,
  allgather,
  alltoall,
};
inline constexpr int kCollectives = 8;

[[nodiscard]] std::string_view name_of(Collective collective);

// `count` is the vector's length for bcast, reduce and allreduce, and the length
// of ONE rank's block for gather, scatter, allgather and alltoall.
struct Shape {
  Collective collective{};
  int size = 1;             // ranks in the communicator
  Count count = 0;          // elements, see above
  Count segment = 0;        // elements a pipeline stage moves at once; 0: do not segment
  int radix = 2;            // children a k-nomial node has a level, plus one
  Rank root = 0;            // rooted collectives only
  bool in_place = false;    // MPI_IN_PLACE given on this rank
  bool commutative = true;  // the reduction may reorder its operands

  friend bool operator==(const Shape&, const Shape&) = default;
};

}  // namespace stretto
