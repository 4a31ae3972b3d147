#include "topology/topology.hpp"

#include <unistd.h>

#include <cstring>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "base/config.hpp"
#include "base/file.hpp"

namespace stretto {
namespace {

std::string sysfs() { return setting("STRETTO_TOPOLOGY_SYSFS").value_or("/sys"); }

}  // namespace

Affinity Affinity::here() {
  Affinity affinity;
  gethostname(affinity.host.data(), affinity.host.size() - 1);
  affinity.cores = usable_cores();
  return affinity;
}

Affinity Affinity::here_with_complex() {
  Affinity affinity = here();
  affinity.core_complex = core_complex_of(affinity.cores, sysfs());
  return affinity;
}

CoreGroups Affinity::core_groups() const {
  // kNoComplex is CoreGroups::kUnknown, cut to its bits.
  return {.core_complex = static_cast<std::uint16_t>(core_complex_of(cores, sysfs())),
          .socket = static_cast<std::uint16_t>(socket_of(cores, sysfs()))};
}

Affinity Affinity::on_its_machine() const {
  Affinity affinity = *this;
  if (const auto boot = boot_id(); boot.front() != '\0') affinity.host = boot;
  return affinity;
}

std::array<char, 64> boot_id() {
  std::array<char, 64> id{};
  const std::string content = read_file("/proc/sys/kernel/random/boot_id").value_or("");
  content.substr(0, content.find('\n')).copy(id.data(), id.size() - 1);
  return id;
}

Topology::Topology(std::span<const Affinity> affinities) {
  struct Host {
    int number = 0;
    int ranks = 0;
    CoreSet cores{};
    bool knows_cores = true;
    std::set<int> complexes{};
  };
  std::map<std::string_view, Host> hosts;
  std::vector<const Host*> host_of;
  for (const Affinity& affinity : affinities) {
    const std::string_view name(affinity.host.data(),
                                strnlen(affinity.host.data(), affinity.host.size()));
    const auto [entry, is_new] = hosts.try_emplace(name);
    Host& host = entry->second;
    if (is_new) host.number = static_cast<int>(hosts.size()) - 1;
    ++host.ranks;
    host.cores |= affinity.cores;
    host.knows_cores = host.knows_cores && affinity.cores.any();
    host.complexes.insert(affinity.core_complex);
    host_of.push_back(&host);
  }
  hosts_ = static_cast<int>(hosts.size());
  for (const auto& [name, host] : hosts) {
    const auto ranks = static_cast<std::size_t>(host.ranks);
    knows_cores_ = knows_cores_ && host.knows_cores;
    oversubscribed_ = oversubscribed_ || (host.knows_cores && ranks > host.cores.count());
    has_spare_cores_ = has_spare_cores_ && host.cores.count() >= 2 * ranks;
  }
  std::map<std::pair<int, int>, int> numbers;  // of complexes, by host and name
  for (std::size_t i = 0; i < affinities.size(); ++i) {
    const Host& host = *host_of[i];
    Location location{.host = host.number};
    if (host.complexes.size() > 1 && !host.complexes.contains(kNoComplex)) {
      const auto next = static_cast<int>(numbers.size());
      location.core_complex =
          numbers.try_emplace({host.number, affinities[i].core_complex}, next).first->second;
    }
    locations_.push_back(location);
  }
}

}  // namespace stretto
