// MPI_Wait, MPI_Test and their kind, and what else becomes of requests.
#pragma once

#include "intercept/entry.hpp"
#include "mpi/native.hpp"

namespace stretto::intercept::whatif {

int on_Wait(decltype(&PMPI_Wait) real, MPI_Request* request, MPI_Status* status);
int on_Test(decltype(&PMPI_Test) real, MPI_Request* request, int* flag, MPI_Status* status);
int on_Waitall(decltype(&PMPI_Waitall) real, int count, MPI_Request requests[],
               MPI_Status statuses[]);
int on_Testall(decltype(&PMPI_Testall) real, int count, MPI_Request requests[], int* flag,
               MPI_Status statuses[]);
int on_Waitany(decltype(&PMPI_Waitany) real, int count, MPI_Request requests[], int* index,
               MPI_Status* status);
int on_Testany(decltype(&PMPI_Testany) real, int count, MPI_Request requests[], int* index,
               int* flag, MPI_Status* status);
int on_Waitsome(decltype(&PMPI_Waitsome) real, int incount, MPI_Request requests[], int* outcount,
                int indices[], MPI_Status statuses[]);
int on_Testsome(decltype(&PMPI_Testsome) real, int incount, MPI_Request requests[], int* outcount,
                int indices[], MPI_Status statuses[]);
int on_Request_get_status(decltype(&PMPI_Request_get_status) real, MPI_Request request, int* flag,
                          MPI_Status* status);
int on_Request_free(decltype(&PMPI_Request_free) real, MPI_Request* request);
int on_Start(decltype(&PMPI_Start) real, MPI_Request* request);
int on_Startall(decltype(&PMPI_Startall) real, int count, MPI_Request requests[]);

}  // namespace stretto::intercept::whatif
