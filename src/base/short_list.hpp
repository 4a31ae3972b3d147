// A list that takes no memory from the heap as long as it is short.
#pragma once

#include <array>
#include <cstddef>
#include <memory_resource>
#include <vector>

namespace stretto {

namespace detail {
template <class T>
class FirstBytes {
 protected:
  static constexpr std::size_t kFew = 8;
  alignas(
      T) std::array<std::byte, kFew * sizeof(T)> bytes_;  // NOLINT(*-member-init): written first
  std::pmr::monotonic_buffer_resource resource_{bytes_.data(), bytes_.size()};
};
}  // namespace detail

// It stays where it is made, as its elements may lie in it.
template <class T>
class ShortList : private detail::FirstBytes<T>, public std::pmr::vector<T> {
 public:
  ShortList() : std::pmr::vector<T>(&this->resource_) { this->reserve(this->kFew); }
  template <class Iterator>
  ShortList(Iterator begin, Iterator end) : ShortList() {
    this->assign(begin, end);
  }
  ShortList(const ShortList&) = delete;
  ShortList& operator=(const ShortList&) = delete;
};

}  // namespace stretto
