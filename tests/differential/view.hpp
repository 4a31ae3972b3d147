// What one rank knows of a communicator.
#pragma once

#include <mpi.h>

#include <vector>

#include "action.hpp"

namespace differential {

struct View {
  MPI_Comm comm = MPI_COMM_NULL;  // this rank is in none
  int rank = 0;
  int size = 1;
  int peers = 1;  // ranks it exchanges with: of the other group, or of its own
  bool inter = false;
  bool topology = false;
  int side = 0;                   // of an intercommunicator, 0 or 1
  std::vector<int> sources;       // of a topology, in the order of the receive buffer's blocks
  std::vector<int> destinations;  // of the send buffer's
};

View view_of(MPI_Comm comm, int side);

// Collective over the parent.
View make_comm(const Action& action, const View& parent);

}  // namespace differential
