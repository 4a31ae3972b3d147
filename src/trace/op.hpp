// What a rank does, as far as virtual time depends on it.
#pragma once

#include <compare>
#include <cstdint>
#include <vector>

#include "schedule/shape.hpp"

namespace stretto::trace {

enum class OpKind : std::uint8_t {
  compute,  // for as long as the next of the rank's durations says
  pass,     // the same, in real time whatever the scenario
  send,
  receive,  // these messages, completed together
  see,      // a message has come: a probe shows it
  keep,     // the same, and a matched probe takes it out
  begin,    // a collective; of a neighbourhood one all is sent, too
  finish,   // it has been waited for
};
inline constexpr int kOpKinds = 8;

// A message: the `position`-th of those that `from` (a rank of MPI_COMM_WORLD) has sent to this
// rank and that were not taken yet, or, where `from` is kKept, the one kept in slot `position`.
inline constexpr int kKept = -1;
struct Taken {
  int from = 0;
  int position = 0;

  friend auto operator<=>(const Taken&, const Taken&) = default;
};

// What a neighbourhood collective sends a neighbour.
struct NeighborBlock {
  int to = 0;  // in MPI_COMM_WORLD; the rank itself, too
  std::int64_t bytes = 0;

  friend auto operator<=>(const NeighborBlock&, const NeighborBlock&) = default;
};

// What a member does not speak of stays as it is here.
struct Op {
  OpKind kind{};
  int peer = 0;                // send: to this rank of MPI_COMM_WORLD
  std::int64_t bytes = 0;      // send; begin: as model::CollectiveCall counts, of this rank
  std::vector<Taken> taken{};  // receive: in order; see, keep: one
  int slot = 0;                // keep, begin: free until then; finish: of begin
  bool nonblocking = false;    // finish; begin of a neighbourhood collective
  bool meets = false;          // finish: when all have come, as if it cost nothing
  // begin
  int comm = 0;       // index
  int call_site = 0;  // index
  Collective collective{};
  int root = 0;  // in the communicator
  bool commutative = true;
  bool uneven = false;
  bool cold = false;
  int series = 0;                   // of a persistent one: which, from 1, of its communicator's
  std::vector<NeighborBlock> to{};  // of a neighbourhood collective: blocks, in order
  int from = 0;                     // and how many it gets of other ranks

  friend auto operator<=>(const Op&, const Op&) = default;
};

// Of a collective on its communicator, given how many of its series came before it. Series 0 is
// all that are no persistent ones; those may be started in any order (MPI 4.1, 6.13).
inline constexpr int kTurnBits = 36;
[[nodiscard]] constexpr std::int64_t number_of(int series, std::int64_t turn) {
  return (std::int64_t{series} << kTurnBits) + turn;
}

}  // namespace stretto::trace
