// What `stretto calibrate` preloads into a program of the MPI it measures: once MPI_Init is done
// what messages, collectives and work on data cost is written down, and the program ends.
#pragma once

namespace stretto::intercept::calibrate {

// Of one rank alone (become_rank).
inline constexpr const char* kRankSettings[] = {"STRETTO_CALIBRATE_FILE"};

// Before MPI_Init: nothing that the program has registered for exit() runs after the session.
void end_at_exit();
[[noreturn]] void begin_session();

}  // namespace stretto::intercept::calibrate
