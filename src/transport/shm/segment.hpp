// Memory that the ranks of a host share. It has no name in any file system: whoever is killed
// leaves nothing behind, and a full /dev/shm is nobody's trouble.
#pragma once

#include <cstddef>

namespace stretto::shm {

class Segment {
 public:
  Segment() = default;
  Segment(Segment&& other) noexcept { *this = static_cast<Segment&&>(other); }
  Segment& operator=(Segment&& other) noexcept;
  Segment(const Segment&) = delete;
  Segment& operator=(const Segment&) = delete;
  ~Segment();

  // All zero, and there in full: who touches it later gets no SIGBUS. Empty where the kernel gives
  // none; `*fd`, which is the caller's to close, is for the other ranks.
  [[nodiscard]] static Segment make(std::size_t bytes, int* fd);
  // Of another rank's.
  [[nodiscard]] static Segment map(int fd, std::size_t bytes);

  [[nodiscard]] bool is_empty() const { return base_ == nullptr; }
  [[nodiscard]] std::byte* base() const { return base_; }

 private:
  std::byte* base_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace stretto::shm
