/* The root of a first short broadcast comes late, and others' broadcasts begin meanwhile: more of
 * them than a rank has numbers for messages, where tags are few. Those that wait for the first
 * one's number must go on when it is posted. Prints "late root ok" on rank 0. */
#include <mpi.h>
#include <time.h>

#include "check.h"

enum { BROADCASTS = 8, OTHER_ROOT = 2 };

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  CHECK(size > OTHER_ROOT);
  for (int turn = 0; turn < 4; ++turn) {
    MPI_Request requests[BROADCASTS + 1];
    double data[BROADCASTS + 1];
    for (int i = 0; i <= BROADCASTS; ++i) {
      const int root = i == 0 ? 0 : OTHER_ROOT;
      data[i] = rank == root ? 100 * turn + i : -1;
    }
    MPI_Barrier(MPI_COMM_WORLD);
    const struct timespec late = {0, 50000000};
    if (rank == 0) nanosleep(&late, NULL);
    for (int i = 0; i <= BROADCASTS; ++i) {
      MPI_Ibcast(&data[i], 1, MPI_DOUBLE, i == 0 ? 0 : OTHER_ROOT, MPI_COMM_WORLD, &requests[i]);
    }
    MPI_Waitall(BROADCASTS + 1, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i <= BROADCASTS; ++i) CHECK(data[i] == 100 * turn + i);
  }
  if (rank == 0) printf("late root ok\n");
  MPI_Finalize();
  return 0;
}
