#include "topology/levels.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace stretto {
namespace {

bool share_host(const Location& a, const Location& b) { return a.host == b.host; }
bool share_complex(const Location& a, const Location& b) {
  return a.core_complex != kNoComplex && a.core_complex == b.core_complex;
}

template <class Together>
std::optional<std::pair<int, int>> first_pair(const Topology& topology, Together together) {
  for (int first = 0; first < topology.size(); ++first) {
    for (int second = first + 1; second < topology.size(); ++second) {
      if (together(topology.location_of(first), topology.location_of(second)))
        return {{first, second}};
    }
  }
  return {};
}

// In the fullest group of each kind.
struct Most {
  int on_host = 0;
  int in_complex = 0;
  int complexes = 0;  // on a host
};

Most most_of(const Topology& topology) {
  std::map<int, int> on_host;
  std::map<int, int> in_complex;
  std::map<int, std::set<int>> complexes;
  Most most;
  for (const Location& location : topology.locations()) {
    most.on_host = std::max(most.on_host, ++on_host[location.host]);
    if (location.core_complex == kNoComplex) continue;
    most.in_complex = std::max(most.in_complex, ++in_complex[location.core_complex]);
    complexes[location.host].insert(location.core_complex);
    most.complexes = std::max(most.complexes, static_cast<int>(complexes[location.host].size()));
  }
  return most;
}

}  // namespace

std::vector<TopologyLevel> levels_of(const Topology& topology) {
  const Most most = most_of(topology);
  std::vector<TopologyLevel> levels;
  const auto add = [&](const char* name, int holds, auto together) {
    const auto pair = first_pair(topology, together);
    if (pair) levels.push_back({name, pair->first, pair->second, holds});
  };
  add("core complex", most.in_complex, share_complex);
  // A host without complexes may have more ranks than one with them.
  const int on_host =
      levels.empty()
          ? most.on_host
          : std::max(most.complexes, (most.on_host + most.in_complex - 1) / most.in_complex);
  add("host", on_host, [](const Location& a, const Location& b) {
    return share_host(a, b) && !share_complex(a, b);
  });
  add("network", 0, [](const Location& a, const Location& b) { return !share_host(a, b); });
  if (!levels.empty()) levels.back().holds = 0;
  return levels;
}

}  // namespace stretto
