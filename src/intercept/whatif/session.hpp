// From the end of MPI_Init to the beginning of MPI_Finalize time is virtual, or, where no
// scenarios are given, measured.
#pragma once

namespace stretto::intercept::whatif {

// Of one rank alone (become_rank).
inline constexpr const char* kRankSettings[] = {"STRETTO_WHATIF_FOLDER", "STRETTO_WHATIF_SHOWN",
                                                "STRETTO_WHATIF_SCENARIOS",
                                                "STRETTO_WHATIF_RECORD"};

void begin_session();
void end_session();

// The program's time of day, as the scenario that it is shown has it: ns from MPI_Init on. Only
// while time is virtual.
[[nodiscard]] double virtual_now_ns();

}  // namespace stretto::intercept::whatif
