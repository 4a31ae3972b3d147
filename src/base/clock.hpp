#pragma once

#include <time.h>

#include <cstdint>

namespace stretto {

// Nanoseconds of CLOCK_MONOTONIC; read through the vDSO, about 20 ns.
[[nodiscard]] inline std::int64_t now_ns() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

// A counter that takes less time to read than a clock, some thousand millions a second: where the
// processor has none that any program may read, nanoseconds.
[[nodiscard]] inline std::uint64_t now_ticks() {
#if defined(__x86_64__)
  return __builtin_ia32_rdtsc();
#else
  return static_cast<std::uint64_t>(now_ns());
#endif
}

inline void sleep_ns(std::int64_t duration) {
  const timespec time{.tv_sec = duration / 1'000'000'000, .tv_nsec = duration % 1'000'000'000};
  nanosleep(&time, nullptr);
}

}  // namespace stretto
