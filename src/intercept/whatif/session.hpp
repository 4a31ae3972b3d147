// From the end of MPI_Init to the beginning of MPI_Finalize time is virtual, or, where no
// scenarios are given, measured.
#pragma once

#include "intercept/entry.hpp"
#include "mpi/native.hpp"

namespace stretto::intercept::whatif {

int on_Init(decltype(&PMPI_Init) real, int* argc, char*** argv);
int on_Init_thread(decltype(&PMPI_Init_thread) real, int* argc, char*** argv, int required,
                   int* provided);
int on_Finalize(decltype(&PMPI_Finalize) real);

// The program's time of day, as the scenario that it is shown has it: ns from MPI_Init on. Only
// while time is virtual.
[[nodiscard]] double virtual_now_ns();

}  // namespace stretto::intercept::whatif
