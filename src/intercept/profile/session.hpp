// From the end of MPI_Init to the beginning of MPI_Finalize calls are counted.
#pragma once

#include "intercept/entry.hpp"

namespace stretto::intercept::profile {

int on_Init(decltype(&PMPI_Init) real, int* argc, char*** argv);
int on_Init_thread(decltype(&PMPI_Init_thread) real, int* argc, char*** argv, int required,
                   int* provided);
int on_Finalize(decltype(&PMPI_Finalize) real);

}  // namespace stretto::intercept::profile
