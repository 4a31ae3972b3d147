// MPI_Wait, MPI_Test and their kind, and what else becomes of requests.
#pragma once

#include "intercept/shared/entry.hpp"
#include "mpi/completion.hpp"
#include "mpi/native.hpp"

namespace stretto::intercept::whatif {

int on_completion(const Completion& theirs);

int on_Request_get_status(decltype(&PMPI_Request_get_status) real, MPI_Request request, int* flag,
                          MPI_Status* status);
int on_Request_free(decltype(&PMPI_Request_free) real, MPI_Request* request);
int on_Start(decltype(&PMPI_Start) real, MPI_Request* request);
int on_Startall(decltype(&PMPI_Startall) real, int count, MPI_Request requests[]);

}  // namespace stretto::intercept::whatif
