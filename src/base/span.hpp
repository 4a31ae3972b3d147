// The numbers schedules are made of.
#pragma once

#include <cstdint>

namespace stretto {

using Rank = int;
using Count = std::int64_t;  // always in elements, never bytes

// A stretch of a buffer, in elements.
struct Span {
  Count offset = 0;
  Count count = 0;

  [[nodiscard]] constexpr Count end() const { return offset + count; }
  friend bool operator==(const Span&, const Span&) = default;
};

}  // namespace stretto
