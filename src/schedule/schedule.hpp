// The schedule: what one rank does in one collective, as a DAG of steps.
//
// Pure data. `engine` runs it, `schedule/verify` proves it, `schedule/cost`
// counts it, the simulator replays it and the reports draw it; none of them
// knows which algorithm built it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "schedule/shape.hpp"

namespace stretto {

enum class Buffer : std::uint8_t { send, recv, scratch };

struct Region {
  Buffer buffer = Buffer::send;
  Span span{};

  friend bool operator==(const Region&, const Region&) = default;
};

enum class StepKind : std::uint8_t {
  send,    // `from` goes to rank `peer`
  recv,    // `to` comes from rank `peer`
  copy,    // to = from; with no elements it only joins its dependencies
  reduce,  // to = from op to: `from` is the LEFT operand, as in MPI_Reduce_local
};

using StepId = std::int32_t;
inline constexpr StepId kNoStep = -1;

struct Step {
  StepKind kind{};
  Rank peer = -1;               // send, recv
  std::int32_t ordinal = 0;     // send, recv: how many messages this rank exchanged with `peer`
                                // in this direction before this one. The k-th send of a to b
                                // matches the k-th recv of b from a.
  Region from{};                // send, copy, reduce
  Region to{};                  // recv, copy, reduce
  std::int32_t first_wait = 0;  // waits[first_wait, first_wait + waits) must be
  std::int32_t waits = 0;       // complete before this step starts
};

struct Schedule {
  Shape shape{};
  Rank rank = 0;
  Count scratch = 0;  // elements of scratch the steps use
  std::vector<Step> steps{};
  std::vector<StepId> waits{};

  [[nodiscard]] std::span<const StepId> waits_of(const Step& step) const {
    return std::span(waits).subspan(static_cast<std::size_t>(step.first_wait),
                                    static_cast<std::size_t>(step.waits));
  }
};

}  // namespace stretto
