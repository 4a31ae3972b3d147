// A call handed to the MPI underneath.
#pragma once

#include "api/call.hpp"

namespace stretto {

// call.nonblocking: starts it and stores the MPI's request; otherwise runs it.
// Returns an MPI error code; the MPI has called the error handler.
int call_native(const Call& call, MPI_Request* request);

}  // namespace stretto
