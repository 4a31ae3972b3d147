#include "topology/core_set.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <climits>

namespace stretto {

long read_affinity(pid_t process, std::size_t bytes, unsigned long* mask) {
  return ::syscall(SYS_sched_getaffinity, process, bytes, mask);
}

CoreSet usable_cores(ReadAffinity read) {
  constexpr std::size_t kBits = sizeof(unsigned long) * CHAR_BIT;
  std::array<unsigned long, kMostCores / kBits> mask{};
  CoreSet cores;
  if (read(0, sizeof mask, mask.data()) <= 0) return cores;
  for (std::size_t core = 0; core < kMostCores; ++core) {
    cores[core] = (mask[core / kBits] >> core % kBits & 1U) != 0;
  }
  return cores;
}

}  // namespace stretto
