// Many messages past a rank that is not there yet.
#pragma once

#include "view.hpp"

namespace differential {

// The late rank comes when the others are through, or can go no further without it.
void await_call(const View& view, bool computes);

// A digest of what arrived. All ranks of the communicator take part. What is to arrive is
// known: unless it is the whole flood, only the first few are sent, and the rest is counted as it
// should be. So the MPI alone does it; MPICH takes half a minute for all.
Seed run_flood(const Action& action, const View& view, bool whole);

}  // namespace differential
