#include "schedule/shape.hpp"

#include <array>

namespace stretto {

std::string_view name_of(Collective collective) {
  constexpr std::array<std::string_view, kCollectives> kNames{
      "barrier",          "bcast",    "reduce",         "allreduce", "gather", "scatter",
      "allgather",        "alltoall", "reduce_scatter", "scan",      "exscan", "neighbor_allgather",
      "neighbor_alltoall"};
  return kNames[static_cast<std::size_t>(collective)];
}

}  // namespace stretto
