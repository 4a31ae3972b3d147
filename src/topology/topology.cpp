#include "topology/topology.hpp"

#include <unistd.h>

#include <cstring>
#include <map>
#include <string_view>

namespace stretto {

Place Place::here() {
  Place place;
  gethostname(place.host.data(), place.host.size() - 1);
  CPU_ZERO(&place.cores);
  sched_getaffinity(0, sizeof place.cores, &place.cores);
  return place;
}

Topology::Topology(std::span<const Place> places) {
  struct Host {
    int number = 0;
    int ranks = 0;
    cpu_set_t cores{};
  };
  std::map<std::string_view, Host> hosts;
  for (const Place& place : places) {
    const std::string_view name(place.host.data(), strnlen(place.host.data(), place.host.size()));
    const auto [entry, is_new] = hosts.try_emplace(name);
    Host& host = entry->second;
    if (is_new) host.number = static_cast<int>(hosts.size()) - 1;
    ++host.ranks;
    CPU_OR(&host.cores, &host.cores, &place.cores);
    host_of_.push_back(host.number);
  }
  hosts_ = static_cast<int>(hosts.size());
  for (const auto& [name, host] : hosts) {
    if (host.ranks > CPU_COUNT(&host.cores)) oversubscribed_ = true;
  }
}

}  // namespace stretto
