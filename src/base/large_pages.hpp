// Memory in pages of 2 MiB, where the system has them to give: what jumps about in hundreds of
// megabytes spends most of its time looking up small pages, and a good part getting them.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <new>
#include <vector>

namespace stretto {

template <class T>
struct LargePages {
  using value_type = T;

  LargePages() = default;
  template <class Other>
  LargePages(const LargePages<Other>&) {}

  [[nodiscard]] T* allocate(std::size_t count) {
    const std::size_t bytes = count * sizeof(T);
    if (bytes < kWorthIt) return static_cast<T*>(::operator new(bytes));
    void* memory = ::operator new(bytes, std::align_val_t(kPage));
    // A system that refuses has small pages for us, which do as well.
    static_cast<void>(madvise(memory, bytes, MADV_HUGEPAGE));
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, std::size_t count) {
    if (count * sizeof(T) < kWorthIt) return ::operator delete(memory);
    ::operator delete(memory, std::align_val_t(kPage));
  }

  friend bool operator==(LargePages, LargePages) { return true; }

 private:
  static constexpr std::size_t kPage = std::size_t{2} << 20;
  static constexpr std::size_t kWorthIt = 2 * kPage;
};

// For those that may grow large.
template <class T>
using LargeVector = std::vector<T, LargePages<T>>;

}  // namespace stretto
