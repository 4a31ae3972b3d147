// What a call moves.
#pragma once

#include "mpi/call.hpp"

namespace stretto {

struct Traffic {
  std::int64_t bytes = 0;
  int root = -1;  // of a rooted collective on an intracommunicator
};

// Of `count` elements; 0 where the arguments are wrong, as the MPI reports that best.
[[nodiscard]] std::int64_t bytes_of(Count count, MPI_Datatype datatype);

// What this rank contributes to a collective, or gets where it contributes nothing: in a bcast
// the vector, in a scatter its block, in an alltoall all it sends.
[[nodiscard]] Traffic traffic_of(const Call& call);

}  // namespace stretto
