// Where the ranks of a run sit on a scenario's machine.
#pragma once

#include <vector>

#include "model/scenario.hpp"

namespace stretto::model {

// Of ranks of MPI_COMM_WORLD whose hosts are numbered from 0: as many places a host as its fullest
// has ranks, or, where the scenario says how many a host has, in their order.
[[nodiscard]] std::vector<Rank> places_of(const Scenario& scenario,
                                          const std::vector<int>& host_of);

}  // namespace stretto::model
