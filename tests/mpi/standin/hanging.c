/* A tool whose MPI_Allreduce never ends on rank 1, in the first job alone that finds no file where
 * HANGING_ONCE says. To be preloaded. */
#include <fcntl.h>
#include <mpi.h>
#include <stdlib.h>
#include <unistd.h>

int MPI_Allreduce(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op,
                  MPI_Comm comm) {
  const char* file = getenv("HANGING_ONCE");
  int rank;
  PMPI_Comm_rank(comm, &rank);
  if (rank == 1 && file != NULL && open(file, O_CREAT | O_EXCL, 0600) >= 0)
    for (;;) pause();
  return PMPI_Allreduce(in, out, count, type, op, comm);
}
