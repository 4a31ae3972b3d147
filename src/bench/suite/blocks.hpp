// Which elements of an operation lie where, and what they must be when it is complete.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bench/suite/plan.hpp"

namespace stretto::bench {

// Elements of a result: those of the send buffer of one rank, or of several, combined.
struct ResultPiece {
  std::int64_t at = 0;  // in the receive buffer
  std::int64_t length = 0;
  int first = 0;          // of the ranks whose elements are combined
  int last = 0;           // beyond the last of them; first + 1 where data are moved only
  std::int64_t from = 0;  // in their send buffers
};

// Which arguments a function takes.
enum class Signature : std::uint8_t {
  none,              // the communicator alone
  bcast,             // one buffer and a root
  vector,            // two buffers of one vector each, and an operation
  local_vector,      // the same without a communicator
  rooted_vector,     // and a root
  blocks,            // as much from and to each
  rooted_blocks,     // and a root
  scattered_vector,  // of a vector to each a part, with counts
  gathered,          // one's own block to all, by counts
  rooted_gathered,   // or to a root
  rooted_scattered,  // and from it
  counts,            // by counts to each and from each
  types,             // by types as well, and places in bytes
  addresses,         // the same with wider places
  other,             // no collective
};

// An operation of MPI, as far as it is the same whatever is called.
struct MeasuredOperation {
  std::string_view name;      // "allreduce"
  std::string_view function;  // "Allreduce"
  Signature signature = Signature::other;
  bool rooted = false;
  bool reduces = false;
  bool takes_counts = false;  // Does each rank's block have a size of its own?
  bool in_place = false;      // May data lie in the receive buffer?
  bool neighbors = false;
  bool only_blocking = false;
  bool messages = false;     // between two ranks each
  bool accumulates = false;  // Is what lies in the receive buffer combined as well?
};
// nullptr where there is none of that name.
[[nodiscard]] const MeasuredOperation* operation_named(std::string_view name);
[[nodiscard]] std::span<const MeasuredOperation> operations();

// The blocks of one operation on one rank, in elements.
struct BlockLayout {
  std::int64_t count = 0;          // of the vector, or of one block where all are alike
  int own_count = 0;               // of this rank's block, where each has one
  std::vector<int> counts{};       // of what this rank receives from each, or all send to one
  std::vector<int> displs{};       // where
  std::vector<int> send_counts{};  // of what it sends to each
  std::vector<int> send_displs{};
  std::int64_t send_length = 0;
  std::int64_t receive_length = 0;
};

struct Place {
  int rank = 0;
  int size = 1;
  std::vector<int> sources{};  // of a neighbourhood, in its order
  std::vector<int> destinations{};
};

// `elements` is the size of the vector, or of a block.
[[nodiscard]] BlockLayout blocks_of(const MeasuredOperation& operation, const BenchCell& cell,
                                    std::int64_t elements, const Place& place);

// What is in the receive buffer at the end; empty where nothing is.
[[nodiscard]] std::vector<ResultPiece> result_of(const MeasuredOperation& operation,
                                                 const BenchCell& cell, const BlockLayout& blocks,
                                                 const Place& place, int root);

// What is to lie in the receive buffer before the call, as pieces of one rank's send buffer each:
// this rank's own data for MPI_IN_PLACE, and of what accumulates a vector as another rank has it.
[[nodiscard]] std::vector<ResultPiece> laid_before(const MeasuredOperation& operation,
                                                   const BenchCell& cell, const BlockLayout& blocks,
                                                   const Place& place, int root);

}  // namespace stretto::bench
