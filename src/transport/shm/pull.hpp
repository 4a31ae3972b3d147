// Another process's memory, read in one copy.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>

namespace stretto::shm {

// `bytes` at `address` in process `pid`, to here. Returns 0, or the errno of why the kernel refuses
// (process_vm_readv(2)): what has come then is not known.
[[nodiscard]] int pull(pid_t pid, std::uint64_t address, void* to, std::size_t bytes);

}  // namespace stretto::shm
