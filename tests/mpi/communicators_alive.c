/* As many communicators alive at once as MPICH has contexts for, but for a few.
 *
 * Usage: communicators_alive COUNT
 * Prints "alive ok" on rank 0. */
#include <mpi.h>
#include <stdlib.h>

#include "check.h"

int main(int argc, char** argv) {
  const int count = argc > 1 ? atoi(argv[1]) : 2040;
  MPI_Comm* comms = malloc((size_t)count * sizeof *comms);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int i = 0; i < count; ++i) MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
  for (int i = 0; i < count; ++i) {
    int sum = 0;
    const int mine = rank + i;
    MPI_Request request;
    MPI_Iallreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, comms[i], &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK(sum == size * i + size * (size - 1) / 2);
  }
  for (int i = 0; i < count; ++i) MPI_Comm_free(&comms[i]);
  free(comms);
  if (rank == 0) printf("alive ok\n");
  MPI_Finalize();
  return 0;
}
