// Nonblocking calls that the program has made before, which begin without being decided on again.
#pragma once

#include "api/call.hpp"

namespace stretto {

// Begins `call` where it is like one before it that is over; nullptr where there is none. See
// Engine::start for `handle` and who releases the operation.
[[nodiscard]] Operation* begin_again(const Call& call, MPI_Request* handle = nullptr);

// `operation` is about to begin as decided: from its end on it may run calls that are like this.
void keep_ready(const Call& call, Communicator& comm, Operation& operation);

}  // namespace stretto
