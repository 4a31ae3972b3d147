// What a collective is asked to do, as far as its schedule depends on it.
//
// Two calls of equal Shape on the same rank have the same schedule, whatever their buffers, so a
// Shape is also the key of the engine's schedule cache; with the layout for algorithms that use it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "base/span.hpp"
#include "schedule/graph.hpp"

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
  reduce_scatter,  // with blocks of one size: MPI_Reduce_scatter_block
  scan,
  exscan,
  neighbor_allgather,
  neighbor_alltoall,
};
inline constexpr int kCollectives = 13;

[[nodiscard]] std::string_view name_of(Collective collective);
[[nodiscard]] std::optional<Collective> find_collective(std::string_view name);

[[nodiscard]] constexpr bool is_rooted(Collective collective) {
  return collective == Collective::bcast || collective == Collective::reduce ||
         collective == Collective::gather || collective == Collective::scatter;
}

[[nodiscard]] constexpr bool reduces(Collective collective) {
  return collective == Collective::reduce || collective == Collective::allreduce ||
         collective == Collective::reduce_scatter || collective == Collective::scan ||
         collective == Collective::exscan;
}

// Do ranks mostly send what they have written since they sent last: sums, what they have received,
// what a program broadcasts, or what it has computed to be reduced?
[[nodiscard]] constexpr bool sends_anew(Collective collective) {
  return collective == Collective::bcast || reduces(collective);
}

[[nodiscard]] constexpr bool is_neighborhood(Collective collective) {
  return collective == Collective::neighbor_allgather ||
         collective == Collective::neighbor_alltoall;
}

[[nodiscard]] constexpr bool has_in_place(Collective collective) {
  return collective != Collective::barrier && collective != Collective::bcast &&
         !is_neighborhood(collective);
}

// `count` is the vector's length for bcast, reduce, allreduce, scan and exscan, and the
// length of ONE rank's block for gather, scatter, allgather, alltoall and reduce_scatter, of
// one neighbour's for the neighbourhood collectives.
struct Shape {
  Collective collective{};
  int size = 1;             // ranks in the communicator
  Count count = 0;          // elements, see above
  Count segment = 0;        // elements a pipeline stage moves at once; 0: do not segment
  int radix = 2;            // children a k-nomial node has a level, plus one
  Rank root = 0;            // rooted collectives only
  bool in_place = false;    // MPI_IN_PLACE given on this rank
  bool commutative = true;  // the reduction may reorder its operands
  // On an intercommunicator: ranks [0, first_group) are one group, the others the second.
  // 0: an intracommunicator.
  int first_group = 0;
  std::shared_ptr<const Graph> graph{};  // neighbourhood collectives only

  friend bool operator==(const Shape&, const Shape&) = default;
};

}  // namespace stretto
