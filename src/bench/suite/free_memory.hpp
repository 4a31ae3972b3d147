// How much memory there is for more, so that a benchmark is never what the system kills for it.
#pragma once

#include <cstdint>
#include <limits>
#include <string>

namespace stretto::bench {

// In bytes; kUnknown where nothing says it.
struct FreeMemory {
  static constexpr std::int64_t kUnknown = std::numeric_limits<std::int64_t>::max();

  std::int64_t machine = kUnknown;  // for all processes under this kernel
  std::int64_t group = kUnknown;    // by the limits of this process's control group, if it has any
};

// Caches of files count as free: the kernel gives them up first. `root` is where proc and sys are.
[[nodiscard]] FreeMemory free_memory(const std::string& root = "");

// What buffers of so many bytes take, and what the MPI may take besides for its own copies: half as
// much again.
[[nodiscard]] std::int64_t with_margin(std::int64_t buffer_bytes);

// "needs 12.0 GiB of 8.0 GiB".
[[nodiscard]] std::string shortage(double needed, double free);

}  // namespace stretto::bench
