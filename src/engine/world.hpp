// What is known of the ranks of a channel: which share a host, and whether they share cores.
#pragma once

#include "mpi/native.hpp"
#include "topology/core_numbers.hpp"

namespace stretto {

struct Hosts {
  HostNumbers numbers{};
  CoreNumbers cores{};
  bool oversubscribed = false;  // some machine has more ranks than cores for them
  bool knows_cores = true;      // no host is silent about that
  bool spare_cores = false;     // a second thread of this rank may have a core to itself
};

// Of all ranks of `comm`, an intracommunicator. Collective. Twelve bytes a rank travel to all, up
// to 65,536 ranks of several hosts twenty; which cores its ranks may use only the first rank of a
// machine learns.
[[nodiscard]] Hosts survey(MPI_Comm comm);

}  // namespace stretto
