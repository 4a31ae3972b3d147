#include "transport/shm/segment.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

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

}  // namespace

Segment Segment::make(std::size_t bytes, int* fd) {
  *fd = -1;
  if (!may_be_so_long(bytes)) return {};
  *fd = ::memfd_create("stretto", MFD_CLOEXEC);
  if (*fd < 0) return {};
  int error = EINTR;  // as a timer of a profiler's makes it
  while (error == EINTR) {
    error = ::fallocate(*fd, 0, 0, static_cast<off_t>(bytes)) == 0 ? 0 : errno;
  }
  if (error != 0) return {};
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
