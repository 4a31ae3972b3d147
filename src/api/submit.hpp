// What all collectives of stretto.h do with the call they have described.
#pragma once

#include "api/call.hpp"
#include "stretto/stretto.h"

namespace stretto {

// Makes Stretto know `comm`, collectively where it does not yet. False where it cannot.
bool prepare(MPI_Comm comm);

// Begins the call and stores its request or, without `request`, runs it. Returns an MPI
// error code, after the error handler was called.
int submit(Call call, stretto_request* request);

}  // namespace stretto
