// Memory handed to a collective, with guard zones around it that nothing may touch.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <vector>

#include "random.hpp"

namespace differential {

class Buffer {
 public:
  Buffer() = default;
  Buffer(MPI_Datatype type, int elements) {
    MPI_Aint lower = 0, true_lower = 0, true_extent = 0;
    MPI_Type_get_extent(type, &lower, &extent_);
    MPI_Type_get_true_extent(type, &true_lower, &true_extent);
    base_ = std::max<MPI_Aint>(0, -true_lower) + kGuard;
    const MPI_Aint above = std::max<MPI_Aint>(0, true_lower + true_extent) + kGuard;
    const MPI_Aint whole = base_ + elements * extent_ + above;
    // In words, of 8 bytes.
    words_.resize(static_cast<std::size_t>((whole + 7) / 8));
    elements_ = elements;
  }

  [[nodiscard]] std::byte* data() { return bytes() + base_; }
  [[nodiscard]] int elements() const { return elements_; }

  void fill(Random random) {
    for (Seed& word : words_) word = random.next();
  }

  // Of all of it, guard zones and gaps included, but for the elements from `first` on where
  // the standard leaves them undefined.
  [[nodiscard]] Seed digest(int first_undefined) {
    std::byte* const undefined = data() + first_undefined * extent_;
    std::byte* const end = data() + elements_ * extent_;
    if (undefined < end) std::memset(undefined, 0, static_cast<std::size_t>(end - undefined));
    Seed digest = words_.size();
    for (const Seed word : words_) digest = mix(digest ^ word) + word;
    return digest;
  }
  [[nodiscard]] Seed digest() { return digest(elements_); }

 private:
  static constexpr MPI_Aint kGuard = 64;  // bytes; a multiple of any alignment

  std::byte* bytes() { return reinterpret_cast<std::byte*>(words_.data()); }

  std::vector<Seed> words_;
  MPI_Aint base_ = kGuard;
  MPI_Aint extent_ = 1;
  int elements_ = 0;
};

}  // namespace differential
