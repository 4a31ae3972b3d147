#include "model/placing.hpp"

#include <algorithm>
#include <map>
#include <numeric>

namespace stretto::model {
namespace {

struct Host {
  int ranks = 0;
  std::map<int, int> ranks_of_complex{};
  std::map<int, int> next_of_complex{};  // free place
};

// How many ranks the machine has together there; 0 where it has no such level below others.
int ranks_at(const Machine& machine, const char* name) {
  const auto level =
      std::find_if(machine.levels.begin(), machine.levels.end(),
                   [&](const Level& each) { return each.name == name && each.ranks > 0; });
  return level == machine.levels.end() ? 0 : level->ranks;
}

int rounded_up(int ranks, int group) { return (ranks + group - 1) / group * group; }

// Lays out a host's complexes, and returns how many places they take.
int lay_out(Host& host, int per_complex) {
  int next = 0;
  for (const auto& [core_complex, ranks] : host.ranks_of_complex) {
    host.next_of_complex[core_complex] = next;
    next += rounded_up(ranks, per_complex);
  }
  return next;
}

}  // namespace

std::vector<Rank> places_of(const Scenario& scenario, const std::vector<Location>& locations) {
  std::vector<Rank> places(locations.size());
  std::iota(places.begin(), places.end(), 0);
  if (scenario.ranks_per_host > 0) return places;
  // The machine's host is as large as it says; a larger one takes the places of several. So it is
  // with a complex.
  const int per_complex = ranks_at(scenario.machine, "core complex");
  const int per_host = ranks_at(scenario.machine, "host");
  std::map<int, Host> hosts;
  for (const Location& location : locations) {
    Host& host = hosts[location.host];
    ++host.ranks;
    ++host.ranks_of_complex[per_complex > 0 ? location.core_complex : kNoComplex];
  }
  int stride = 0;
  for (auto& [number, host] : hosts) {
    int needed = lay_out(host, std::max(per_complex, 1));
    // Its ranks fit on one of the machine's hosts, but not on as few complexes as that has: that
    // they are on one host counts for more.
    if (per_host > 0 && needed > rounded_up(host.ranks, per_host)) {
      host.next_of_complex = {{kNoComplex, 0}};
      needed = host.ranks;
    }
    stride = std::max(stride, needed);
  }
  stride = rounded_up(stride, std::max({per_host, per_complex, 1}));
  std::transform(locations.begin(), locations.end(), places.begin(), [&](const Location& location) {
    auto& next = hosts[location.host].next_of_complex;
    const bool is_laid_out = next.contains(location.core_complex);
    return location.host * stride + next[is_laid_out ? location.core_complex : kNoComplex]++;
  });
  return places;
}

}  // namespace stretto::model
