#include "model/placing.hpp"

#include <algorithm>
#include <numeric>

namespace stretto::model {

std::vector<Rank> places_of(const Scenario& scenario, const std::vector<int>& host_of) {
  std::vector<Rank> places(host_of.size());
  std::iota(places.begin(), places.end(), 0);
  if (scenario.ranks_per_host > 0) return places;
  // The machine's host is as large as it says; a larger one takes the places of several.
  int per_host = 1;
  for (const Level& level : scenario.machine.levels) {
    if (level.name == "host" && level.ranks > 0) per_host = level.ranks;
  }
  const int hosts = 1 + *std::max_element(host_of.begin(), host_of.end());
  std::vector<int> seats(static_cast<std::size_t>(hosts));
  for (const int host : host_of) ++seats[static_cast<std::size_t>(host)];
  const int fullest = *std::max_element(seats.begin(), seats.end());
  const int stride = (fullest + per_host - 1) / per_host * per_host;
  std::fill(seats.begin(), seats.end(), 0);
  std::transform(host_of.begin(), host_of.end(), places.begin(),
                 [&](int host) { return host * stride + seats[static_cast<std::size_t>(host)]++; });
  return places;
}

}  // namespace stretto::model
