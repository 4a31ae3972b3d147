#include "topology/core_numbers.hpp"

#include <algorithm>
#include <unordered_set>
#include <utility>

namespace stretto {
namespace {

// The level inside `outer`, groups of ranks, of which there is none where a rank of a host does not
// know its own.
std::vector<int> known_within(const std::vector<int>& outer, std::vector<int> inner,
                              const std::vector<int>& host_of) {
  std::unordered_set<int> silent;
  for (std::size_t rank = 0; rank < inner.size(); ++rank) {
    if (inner[rank] == CoreGroups::kUnknown) silent.insert(host_of[rank]);
  }
  for (std::size_t rank = 0; rank < inner.size(); ++rank) {
    if (silent.contains(host_of[rank])) inner[rank] = CoreGroups::kUnknown;
  }
  return groups_within(outer, inner);
}

int groups_in(const std::vector<int>& group_of) {
  return group_of.empty() ? 0 : 1 + *std::ranges::max_element(group_of);
}

}  // namespace

CoreNumbers::CoreNumbers(std::span<const CoreGroups> ranks) {
  constexpr std::size_t kMostKinds = 256;
  const auto kind_of = [this](const CoreGroups& each) { return std::ranges::find(kinds_, each); };
  for (const CoreGroups& each : ranks) {
    if (kind_of(each) != kinds_.end()) continue;
    if (kinds_.size() == kMostKinds) {
      kinds_.clear();
      return;
    }
    kinds_.push_back(each);
  }
  if (kinds_.size() < 2) return;
  number_of_.reserve(ranks.size());
  for (const CoreGroups& each : ranks) {
    number_of_.push_back(static_cast<std::uint8_t>(kind_of(each) - kinds_.begin()));
  }
}

Layout layout_of(const HostNumbers& hosts, const CoreNumbers& cores, std::span<const Rank> ranks) {
  std::vector<int> host_of;
  std::vector<int> socket_of;
  std::vector<int> complex_of;
  for (const Rank rank : ranks) {
    const CoreGroups here = cores.of(rank);
    host_of.push_back(static_cast<int>(hosts.host_of(rank)));
    socket_of.push_back(here.socket);
    complex_of.push_back(here.core_complex);
  }
  const std::vector<int> by_host = groups_within(host_of, host_of);
  const std::vector<int> by_socket = known_within(by_host, std::move(socket_of), by_host);
  const std::vector<int> by_complex = known_within(by_socket, std::move(complex_of), by_host);
  // One within another, they are the same where they are as many.
  std::vector<Layout::Groups> levels;
  const auto add_within = [&](const auto& outer, const char* name, const auto& inner) {
    if (groups_in(inner) > groups_in(outer)) levels.push_back({name, inner});
  };
  add_within(by_socket, kCoreComplexLevel, by_complex);
  add_within(by_host, kSocketLevel, by_socket);
  levels.push_back({kHostLevel, by_host});
  return Layout(std::move(levels));
}

}  // namespace stretto
