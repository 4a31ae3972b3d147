// How the session of a mode begins.
#pragma once

#include "intercept/shared/this_rank.hpp"
#include "intercept/shared/worlds_of_one.hpp"
#include "mpi/native.hpp"

namespace stretto::intercept {

// To be called with what the MPI's own MPI_Init or MPI_Init_thread returned; returns it, too.
// `begin` runs where that was no error, in what is the rank's process from now on; `settings` are
// of this rank alone (become_rank).
template <class Begin>
int after_init(int error, std::span<const char* const> settings, const Begin& begin) {
  if (error != MPI_SUCCESS) return error;
  say_if_worlds_of_one();
  become_rank(settings);
  begin();
  return error;
}

}  // namespace stretto::intercept
