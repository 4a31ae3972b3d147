// From the end of MPI_Init to the beginning of MPI_Finalize calls are counted.
#pragma once

namespace stretto::intercept::profile {

// Of one rank alone (become_rank).
inline constexpr const char* kRankSettings[] = {"STRETTO_PROFILE_FOLDER", "STRETTO_PROFILE_TRACE",
                                                "STRETTO_PROFILE_DEPTH", "STRETTO_PROFILE_EVERY"};

void begin_session();
void end_session();
// The program is about to end its ranks, maybe in a handler of a signal: what is recorded is
// written before that.
void before_abort();

}  // namespace stretto::intercept::profile
