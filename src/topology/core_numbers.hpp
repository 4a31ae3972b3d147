// On which cores of their hosts ranks run: the core complex and the socket, a byte a rank.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "topology/host_numbers.hpp"
#include "topology/layout.hpp"

namespace stretto {

// Plain bytes, so that it can be exchanged as MPI_BYTE. Each is named by its lowest core.
struct CoreGroups {
  static constexpr std::uint16_t kUnknown = UINT16_MAX;

  std::uint16_t core_complex = kUnknown;
  std::uint16_t socket = kUnknown;

  friend bool operator==(const CoreGroups&, const CoreGroups&) = default;
};

class CoreNumbers {
 public:
  CoreNumbers() = default;  // nothing is known
  // By rank. Hosts of one kind have the same few core groups, so that a byte distinguishes them;
  // where they have more than it can, nothing is known.
  explicit CoreNumbers(std::span<const CoreGroups> ranks);

  [[nodiscard]] CoreGroups of(Rank rank) const {
    if (kinds_.empty()) return {};
    return kinds_[number_of_.empty() ? 0 : number_of_[static_cast<std::size_t>(rank)]];
  }

 private:
  std::vector<CoreGroups> kinds_;
  std::vector<std::uint8_t> number_of_;  // by rank; none where there is but one kind
};

// Of `ranks` of those that have numbers, in this order. What is unknown of one rank on a host is
// taken to be so of all there, as if the host had no such level; a level that distinguishes no
// ranks which the next one has together is left out, but never that of hosts.
[[nodiscard]] Layout layout_of(const HostNumbers& hosts, const CoreNumbers& cores,
                               std::span<const Rank> ranks);

}  // namespace stretto
