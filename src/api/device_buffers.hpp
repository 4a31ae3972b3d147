// Calls whose buffers lie in a GPU's memory: the host must not read or write them, so they are the
// MPI's, on all ranks of the call (docs/decisions/0023-device-buffers.md).
#pragma once

#include "api/call.hpp"

namespace stretto::device_buffers {

// Stretto would run `call`: must it be the MPI's instead, for a buffer on any of the ranks?
// Collective where around.device_buffers. Elsewhere, where the ranks cannot agree any more, a
// buffer of a device's ends the program.
[[nodiscard]] bool has_any(const Call& call, const Communicator& comm);

// A call was left to the MPI for this reason: rank 0 says so, once.
void report();

}  // namespace stretto::device_buffers
