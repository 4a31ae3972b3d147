// Memory for a moment, which the heap would keep: it does once it has given back any as long.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <new>
#include <span>

namespace stretto::shm {

template <class Each>
class PassingMemory {
 public:
  // All zero. Throws std::bad_alloc.
  explicit PassingMemory(std::size_t number) : bytes_(number * sizeof(Each)) {
    memory_ = ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory_ == MAP_FAILED) throw std::bad_alloc();
  }
  ~PassingMemory() { ::munmap(memory_, bytes_); }
  PassingMemory(const PassingMemory&) = delete;
  PassingMemory& operator=(const PassingMemory&) = delete;

  [[nodiscard]] std::span<Each> all() const {
    return {static_cast<Each*>(memory_), bytes_ / sizeof(Each)};
  }

 private:
  std::size_t bytes_;
  void* memory_;
};

}  // namespace stretto::shm
