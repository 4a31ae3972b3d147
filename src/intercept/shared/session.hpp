// How the session of a mode begins.
#pragma once

#include "intercept/shared/this_rank.hpp"
#include "mpi/native.hpp"

namespace stretto::intercept {

// To be called with what the MPI's own MPI_Init or MPI_Init_thread returned; returns it, too.
// `begin` runs where that was no error, in what is the rank's process from now on.
template <class Begin>
int after_init(int error, const Begin& begin) {
  if (error != MPI_SUCCESS) return error;
  become_rank();
  begin();
  return error;
}

}  // namespace stretto::intercept
