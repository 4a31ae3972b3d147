// Which process the rank is: the one that called MPI_Init, and none of its children.
#pragma once

#include <span>

namespace stretto::intercept {

// What all ranks have to say one says, as far as the launcher says before MPI_Init which is
// which.
[[nodiscard]] bool speaks_for_all();

// To be called once the MPI has been initialized, before anything is read from the environment.
// What is for this rank alone leaves the environment, so that the programs it starts run without
// Stretto: of the mode's settings these, by which another process would write this rank's files. In
// a child that fork() makes, Stretto is as after MPI_Finalize.
void become_rank(std::span<const char* const> settings);

// False in a child of the rank's.
[[nodiscard]] bool is_rank_process();

}  // namespace stretto::intercept
