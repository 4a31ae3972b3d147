// From the end of MPI_Init to the beginning of MPI_Finalize calls are counted.
#pragma once

namespace stretto::intercept::profile {

// Of one rank alone (become_rank).
inline constexpr const char* kRankSettings[] = {"STRETTO_PROFILE_FOLDER", "STRETTO_PROFILE_TRACE"};

void begin_session();
void end_session();

}  // namespace stretto::intercept::profile
