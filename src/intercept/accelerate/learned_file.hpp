// The file that keeps what was learned from one run to the next (STRETTO_LEARN_FILE, on rank 0).
#pragma once

namespace stretto::intercept::accelerate::learned_file {

// Collective over MPI_COMM_WORLD, once it is attached: rank 0 reads it for all. A file of another
// machine, MPI or layout, or no whole one, is said to be so, and all is learned anew.
void read();
// On rank 0, where the file is asked for.
void write();

}  // namespace stretto::intercept::accelerate::learned_file
