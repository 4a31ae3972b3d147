// This rank's neighbours on a communicator with a topology.
#pragma once

#include <memory>

#include "mpi/native.hpp"
#include "schedule/graph.hpp"

namespace stretto {

// A graph that holds rank `me` alone; none where `comm` has no topology (MPI 4.1, 8.6).
[[nodiscard]] std::shared_ptr<const Graph> own_neighbors(MPI_Comm comm, Rank me);

}  // namespace stretto
