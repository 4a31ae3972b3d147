#include "transport/shm/segment.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

namespace stretto::shm {

Segment& Segment::operator=(Segment&& other) noexcept {
  std::swap(base_, other.base_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

Segment::~Segment() {
  if (base_ != nullptr) ::munmap(base_, bytes_);
}

namespace {

// The limit of files counts for memory files, too, and beyond it comes a signal.
bool may_be_so_long(std::size_t bytes) {
  rlimit limit{};
  return ::getrlimit(RLIMIT_FSIZE, &limit) == 0 && bytes <= limit.rlim_cur;
}

// A signal, as of a profiler's timer, undoes what one call has allocated so far: it must be able to
// end between two signals.
constexpr std::size_t kPiece = std::size_t{64} << 10;

bool allocate(int fd, std::size_t at, std::size_t bytes) {
  for (;;) {
    if (::fallocate(fd, 0, static_cast<off_t>(at), static_cast<off_t>(bytes)) == 0) return true;
    if (errno != EINTR) return false;
  }
}

}  // namespace

Segment Segment::make(std::size_t bytes, int* fd) {
  *fd = -1;
  if (!may_be_so_long(bytes)) return {};
  *fd = ::memfd_create("stretto", MFD_CLOEXEC);
  if (*fd < 0) return {};
  for (std::size_t at = 0; at < bytes; at += kPiece) {
    if (!allocate(*fd, at, std::min(kPiece, bytes - at))) return {};
  }
  return map(*fd, bytes);
}

Segment Segment::map(int fd, std::size_t bytes) {
  struct stat known{};
  if (::fstat(fd, &known) != 0 || known.st_size != static_cast<off_t>(bytes)) return {};
  void* const base = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (base == MAP_FAILED) return {};
  // A child that the program forks must not write to it, and need not pay for its pages.
  ::madvise(base, bytes, MADV_DONTFORK);
  Segment made;
  made.base_ = static_cast<std::byte*>(base);
  made.bytes_ = bytes;
  return made;
}

}  // namespace stretto::shm
