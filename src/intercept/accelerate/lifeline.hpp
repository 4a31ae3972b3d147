// A rank's line to `stretto run`: a socket that is open from MPI_Init to MPI_Finalize. It
// closes with the process, whatever ends that, and before what the MPI has open, and so reports a
// rank whose end its launcher does not notice, or not whose it was
// (python/stretto/launch/guardian.py listens).
#pragma once

namespace stretto::intercept::accelerate::lifeline {

// Keeps a connection to it, which knows this rank by now (see RollCall); -1: there is none.
void open(int connection);
// The rank is about to end the job itself.
void abort(int code);
// The rank needs no looking after any more.
void close();

}  // namespace stretto::intercept::accelerate::lifeline
