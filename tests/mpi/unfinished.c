/* A program that does not come to MPI_Finalize.
 *
 * Usage: unfinished HOW, which rank 1 does after a hundred allreduces:
 *   aborts      calls MPI_Abort
 *   crashes     writes where no memory is
 *   gives up    calls abort(), after it has nobody handle that, as Fortran's does
 *   exits       calls exit(3)
 *   terminated  gets a SIGTERM, as from a batch system
 *   handles     the same, for which it has a handler, which ends it with code 5
 *   hangs       waits for good, while the others wait for it in a barrier
 *   finalizes   what it does otherwise */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"

static int* volatile nowhere = NULL;

static void own_handler(int number) {
  (void)number;
  _exit(5);
}

static void end_as(const char* how) {
  if (strcmp(how, "aborts") == 0) {
    MPI_Abort(MPI_COMM_WORLD, 9);
    for (;;) pause(); /* MPICH may come back from it before the launcher ends the rank. */
  }
  if (strcmp(how, "crashes") == 0) *nowhere = 1;
  if (strcmp(how, "gives up") == 0) {
    signal(SIGABRT, SIG_DFL);
    abort();
  }
  if (strcmp(how, "exits") == 0) exit(3);
  if (strcmp(how, "handles") == 0) signal(SIGTERM, own_handler);
  if (strcmp(how, "handles") == 0 || strcmp(how, "terminated") == 0) kill(getpid(), SIGTERM);
  if (strcmp(how, "hangs") == 0) {
    printf("unfinished: hangs\n"), fflush(stdout);
    for (;;) pause();
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  CHECK(argc == 2);
  for (int i = 0; i < 100; ++i) {
    int one = 1, sum = 0;
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    CHECK(sum == size);
  }
  if (rank == 1) end_as(argv[1]);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
