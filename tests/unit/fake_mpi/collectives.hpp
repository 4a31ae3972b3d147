// The collectives of the fake MPI: whoever comes last does them for all, one rank after the other,
// as the standard describes them.
#pragma once

#include "fake_mpi/entered.hpp"
#include "mpi/call.hpp"

namespace fake_mpi {

// `request` is null for a blocking one.
int collective(Entered& at, const std::string& name, const stretto::Call& call,
               MPI_Request* request);

}  // namespace fake_mpi
