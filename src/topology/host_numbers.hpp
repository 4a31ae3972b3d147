// Which ranks share a host, by a word each: four bytes a rank, however long hosts' names are.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>
#include <string_view>

namespace stretto {

// The word of a host's name: different names have different words, but for one chance in
// 10^9 among 100,000 hosts (64 bits, FNV-1a).
[[nodiscard]] std::uint64_t host_word(std::string_view name);

// Memory that can be made smaller where it lies, as a vector's cannot.
struct Freed {
  void operator()(void* memory) const { std::free(memory); }
};
using HostWords = std::unique_ptr<std::uint64_t[], Freed>;
[[nodiscard]] HostWords make_host_words(std::size_t ranks);

struct HostNumbers {
  std::unique_ptr<std::uint32_t[], Freed> of{};  // by rank; none where there is but one host
  int hosts = 1;
  int changes = 0;  // ranks whose predecessor is on another host

  [[nodiscard]] std::uint32_t host_of(int rank) const {
    return of == nullptr ? 0 : of[static_cast<std::size_t>(rank)];
  }
};

// `words` is each rank's, and is used up: what is needed besides is a bit a rank and eight bytes
// a host. Hosts are numbered in the order of their lowest rank.
[[nodiscard]] HostNumbers number_hosts(HostWords words, std::size_t ranks);

struct HostPlacement {
  int hosts = 1;
  // A host's ranks follow each other, or nearly: not laid round the hosts, nor in no order.
  bool in_blocks = true;
};

// Of `ranks`; of all where it is empty.
[[nodiscard]] HostPlacement host_placement_of(const HostNumbers& numbers,
                                              std::span<const int> ranks);

}  // namespace stretto
