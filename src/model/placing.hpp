// Where the ranks of a run are on a scenario's machine.
#pragma once

#include <vector>

#include "model/scenario.hpp"
#include "topology/topology.hpp"

namespace stretto::model {

// Of ranks of MPI_COMM_WORLD whose hosts are numbered from 0: as many places a host as the one that
// needs most, each core complex beginning where one of the machine's does, or, where the scenario
// says how many a host has, in their order.
[[nodiscard]] std::vector<Rank> places_of(const Scenario& scenario,
                                          const std::vector<Location>& locations);

}  // namespace stretto::model
