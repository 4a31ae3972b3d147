/* One place calls MPI, as a library's would; who asked for it is further up. */
#include <mpi.h>
#include <stdio.h>

#define APART __attribute__((noinline, noclone))

static volatile int done; /* what comes after a call keeps it from being the last thing */

APART static void sum(int* value) {
  int result = 0;
  MPI_Allreduce(value, &result, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  *value = result;
  ++done;
}

APART static void solve(int* value) {
  sum(value);
  ++done;
}

APART static void check(int* value) {
  sum(value);
  --done;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank;
  int value = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  volatile int rounds = 3; /* a loop that is unrolled has several places */
  for (int i = 0; i < rounds; ++i) solve(&value);
  solve(&value); /* from another line */
  check(&value);
  if (rank == 0) printf("paths ok\n");
  MPI_Finalize();
  return 0;
}
