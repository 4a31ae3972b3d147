/* Rank 0 asks for MPI_THREAD_MULTIPLE and the others for nothing, which MPI allows. All must
 * still decide alike what becomes of a collective. Prints "mixed ok" on rank 0. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "check.h"

/* Before MPI_Init only the launcher can tell. */
static int is_rank_0(void) {
  const char* told = getenv("PMI_RANK");
  if (told == NULL) told = getenv("OMPI_COMM_WORLD_RANK");
  return told != NULL && told[0] == '0' && told[1] == '\0';
}

int main(int argc, char** argv) {
  int provided;
  if (is_rank_0()) {
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  } else {
    MPI_Init(&argc, &argv);
  }
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int i = 0; i < 100; ++i) {
    int value = rank == 0 ? 42 + i : 0, sum = 0;
    MPI_Request requests[2];
    MPI_Ibcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Iallreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    CHECK(value == 42 + i && sum == size * (size - 1) / 2);
  }
  if (rank == 0) printf("mixed ok\n");
  MPI_Finalize();
  return 0;
}
