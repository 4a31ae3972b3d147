// What a rank tells another about virtual time, beside the program's own messages.
#pragma once

#include <array>
#include <cstdint>
#include <type_traits>

#include "trace/op.hpp"

namespace stretto::intercept::whatif {

inline constexpr std::size_t kMostScenarios = 12;

enum class LetterKind : std::int32_t {
  message,  // one of the program's was sent
  arrival,  // to a communicator's first rank: this one has come to a collective
  ends,     // the answer
};

struct Letter {
  std::int64_t number = 0;  // of its sender's to its receiver
  std::int64_t comm = 0;    // Comm::id
  std::int64_t order = 0;   // a message's tag, or the collective's number on its communicator
  std::int64_t bytes = 0;
  std::int32_t sender = 0;  // in MPI_COMM_WORLD
  LetterKind kind{};
  // By scenario: when a message arrives, when a collective is begun, or when it ends.
  std::array<double, kMostScenarios> times{};
  std::array<double, kMostScenarios> free{};  // of an answer: the ends if it cost nothing
  // Of an arrival, what else the collective's cost depends on.
  std::int32_t collective = 0;
  std::int32_t root = 0;
  bool commutative = true;
  bool uneven = false;
  // Of a message, where its receiver found it.
  trace::Taken taken{};
};
static_assert(std::is_trivially_copyable_v<Letter>);

}  // namespace stretto::intercept::whatif
