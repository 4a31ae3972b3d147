// Floating-point work, whose amount is known: how long it takes shows what slows it.
#pragma once

#include <cstdint>

namespace stretto::bench {

// Work that depends on nothing but the arithmetic of one core: no memory, no other rank.
class Work {
 public:
  // Finds out how much takes a nanosecond; takes some 20 ms.
  Work();

  // As much as takes so long where nothing disturbs it.
  void run(std::int64_t duration_ns) const { run_part(duration_ns, 0, 1); }
  // The same in equal parts, of which this is one: all of them are as much as the whole.
  void run_part(std::int64_t duration_ns, int part, int parts) const;

 private:
  double steps_per_ns_ = 1;
};

}  // namespace stretto::bench
