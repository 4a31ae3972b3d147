// What ranks send each other about virtual time, beside the program's own messages.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "trace/op.hpp"

namespace stretto::intercept::whatif {

inline constexpr std::size_t kMostScenarios = 12;

enum class ClockMessageKind : std::int32_t {
  message,  // with one of the program's
  arrival,  // this one has come to a collective: to the communicator's first rank, or to all
  ends,     // the answer
  block,    // to a neighbour, in a neighbourhood collective
};

// What all kinds have comes first, as only what one of its kind needs goes from core to
// core, where each line of the cache costs about as much as a short call of MPI.
struct ClockMessage {
  std::int64_t number = 0;  // of its sender's to its receiver
  std::int64_t comm = 0;    // ClockedComm::id
  std::int64_t order =
      0;  // the program's message's tag, or the collective's number on its communicator
  std::int64_t bytes = 0;   // of an answer to MPI_Comm_idup, the new one's ClockedComm::id
  std::int32_t sender = 0;  // in MPI_COMM_WORLD
  ClockMessageKind kind{};
  // Of an arrival, what else the collective's cost depends on; of a block the first.
  std::int32_t collective = 0;
  std::int32_t root = 0;
  bool commutative = true;
  bool uneven = false;
  bool cold = false;
  bool together = false;  // to all
  // Of an arrival, how long the rank was in the MPI's own call; of an answer the least of them.
  float took_ns = 0;
  // By scenario: when a message or block arrives, when a collective is begun, or when it ends.
  std::array<double, kMostScenarios> times{};
  // Of an answer: the ends if it cost nothing. Of a block the first alone: when its sender began.
  std::array<double, kMostScenarios> free{};
  // Of a message of the program's, where its receiver found it.
  trace::Taken taken{};

  // How much of it goes to another rank, where there are so many scenarios.
  [[nodiscard]] std::size_t sent_bytes(std::size_t scenarios) const {
    if (kind == ClockMessageKind::ends) return offsetof(ClockMessage, taken);
    if (kind == ClockMessageKind::block) return offsetof(ClockMessage, free) + sizeof(double);
    return offsetof(ClockMessage, times) + scenarios * sizeof(double);
  }
};
static_assert(std::is_trivially_copyable_v<ClockMessage>);

}  // namespace stretto::intercept::whatif
