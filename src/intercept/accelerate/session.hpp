// Whether Stretto takes part: from the end of MPI_Init to the end of what the program does in
// MPI_Finalize, in a process whose MPI has the ABI this library was built for.
#pragma once

#include "intercept/shared/entry.hpp"

namespace stretto::intercept::accelerate {

// Of one rank alone (become_rank).
inline constexpr const char* kRankSettings[] = {"STRETTO_RUN_COUNTERS", "STRETTO_TUNE_FOLDER"};

// Before and after the real MPI_Init: the level to ask the MPI for where the program
// asks for `required`, and the start of everything.
[[nodiscard]] int level_to_request(int required);
void begin_session(int required);
// In MPI_Finalize, once the program can no longer communicate; or before it.
void end_session();
// The same once the MPI has ended, which is asked nothing more: there is no report.
void abandon_session();

// Is Stretto at work, whoever asks?
[[nodiscard]] inline bool in_session() { return detail::active().load(std::memory_order_acquire); }

// Has it been?
[[nodiscard]] bool ever_in_session();

}  // namespace stretto::intercept::accelerate
