#include "transport/shm/pull.hpp"

#include <sys/uio.h>

#include <cerrno>

namespace stretto::shm {

int pull(pid_t pid, std::uint64_t address, void* to, std::size_t bytes) {
  auto* here = static_cast<std::byte*>(to);
  while (bytes > 0) {
    const iovec local{here, bytes};
    // NOLINTNEXTLINE(performance-no-int-to-ptr): of another process
    const iovec remote{reinterpret_cast<void*>(address), bytes};
    const ssize_t come = ::process_vm_readv(pid, &local, 1, &remote, 1, 0);
    if (come < 0 && errno == EINTR) continue;
    if (come < 0) return errno;
    // It stops short at what cannot be read, and says so only when asked for that again.
    if (come == 0) return EFAULT;
    here += come;
    address += static_cast<std::uint64_t>(come);
    bytes -= static_cast<std::size_t>(come);
  }
  return 0;
}

}  // namespace stretto::shm
