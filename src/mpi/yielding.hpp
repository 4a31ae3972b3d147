// An MPI's waiting ranks spin, each for its whole time slice where cores are shared, unless the MPI
// knows that they are: Open MPI does not between containers or under taskset, MPICH never.
#pragma once

namespace stretto {

// To be called where ranks share cores, once MPI_Init is over: from now on they leave them to
// others while they wait in the MPI, as far as that can be known (Open MPI, MPICH), and unless the
// user has set it otherwise.
void make_native_yield();

}  // namespace stretto
