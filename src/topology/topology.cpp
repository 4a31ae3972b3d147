#include "topology/topology.hpp"

#include <unistd.h>

#include <cstring>
#include <fstream>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "base/config.hpp"

namespace stretto {
namespace {

std::string sysfs() { return setting("STRETTO_TOPOLOGY_SYSFS").value_or("/sys"); }

}  // namespace

Place Place::here() {
  Place place;
  gethostname(place.host.data(), place.host.size() - 1);
  place.cores = usable_cores();
  return place;
}

Place Place::here_with_complex() {
  Place place = here();
  place.core_complex = core_complex_of(place.cores, sysfs());
  return place;
}

CoreGroups Place::core_groups() const {
  // kNoComplex is CoreGroups::kUnknown, cut to its bits.
  return {.core_complex = static_cast<std::uint16_t>(core_complex_of(cores, sysfs())),
          .socket = static_cast<std::uint16_t>(socket_of(cores, sysfs()))};
}

Place Place::on_its_machine() const {
  // A number that the kernel makes up when it starts.
  std::array<char, 64> boot{};
  std::ifstream("/proc/sys/kernel/random/boot_id").getline(boot.data(), boot.size());
  Place place = *this;
  if (boot.front() != '\0') place.host = boot;
  return place;
}

Topology::Topology(std::span<const Place> places) {
  struct Host {
    int number = 0;
    int ranks = 0;
    CoreSet cores{};
    bool knows_cores = true;
    std::set<int> complexes{};
  };
  std::map<std::string_view, Host> hosts;
  std::vector<const Host*> host_of;
  for (const Place& place : places) {
    const std::string_view name(place.host.data(), strnlen(place.host.data(), place.host.size()));
    const auto [entry, is_new] = hosts.try_emplace(name);
    Host& host = entry->second;
    if (is_new) host.number = static_cast<int>(hosts.size()) - 1;
    ++host.ranks;
    host.cores |= place.cores;
    host.knows_cores = host.knows_cores && place.cores.any();
    host.complexes.insert(place.core_complex);
    host_of.push_back(&host);
  }
  hosts_ = static_cast<int>(hosts.size());
  for (const auto& [name, host] : hosts) {
    if (!host.knows_cores) {
      knows_cores_ = false;
    } else if (static_cast<std::size_t>(host.ranks) > host.cores.count()) {
      oversubscribed_ = true;
    }
  }
  std::map<std::pair<int, int>, int> numbers;  // of complexes, by host and name
  for (std::size_t i = 0; i < places.size(); ++i) {
    const Host& host = *host_of[i];
    Seat seat{.host = host.number};
    if (host.complexes.size() > 1 && !host.complexes.contains(kNoComplex)) {
      const auto next = static_cast<int>(numbers.size());
      seat.core_complex =
          numbers.try_emplace({host.number, places[i].core_complex}, next).first->second;
    }
    seats_.push_back(seat);
  }
}

}  // namespace stretto
