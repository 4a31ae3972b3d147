#include "schedule/shape.hpp"

#include <algorithm>
#include <array>

namespace stretto {
namespace {

constexpr std::array<std::string_view, kCollectives> kNames{
    "barrier",          "bcast",    "reduce",         "allreduce", "gather", "scatter",
    "allgather",        "alltoall", "reduce_scatter", "scan",      "exscan", "neighbor_allgather",
    "neighbor_alltoall"};

}  // namespace

std::string_view name_of(Collective collective) {
  return kNames[static_cast<std::size_t>(collective)];
}

std::optional<Collective> find_collective(std::string_view name) {
  const auto found = std::ranges::find(kNames, name);
  if (found == kNames.end()) return {};
  return static_cast<Collective>(found - kNames.begin());
}

}  // namespace stretto
