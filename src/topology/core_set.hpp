// Sets of logical CPUs, on any machine that Linux runs on: cpu_set_t ends at 1,024.
#pragma once

#include <sys/types.h>

#include <bitset>
#include <cstddef>

namespace stretto {

inline constexpr std::size_t kMostCores = 8192;  // Linux's largest NR_CPUS
using CoreSet = std::bitset<kMostCores>;

// The kernel's call: fills `bytes` bytes of a mask and returns how many it has filled, or -1
// where the machine may have more CPUs than these.
using ReadAffinity = long (*)(pid_t process, std::size_t bytes, unsigned long* mask);
long read_affinity(pid_t process, std::size_t bytes, unsigned long* mask);

// Those that this process may run on; none where that is unknown.
[[nodiscard]] CoreSet usable_cores(ReadAffinity read = read_affinity);

}  // namespace stretto
