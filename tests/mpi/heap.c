/* Prints how many pages the kernel finds on average for rank 0 when it allocates vectors, fills
 * and frees them, as MPIs do for a reduction: once Stretto is there, none after the first time. */
#define _GNU_SOURCE
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "check.h"

enum { VECTORS = 3, BYTES = 1 << 20, TIMES = 20 };

static long pages_found(void) {
  struct rusage usage;
  getrusage(RUSAGE_THREAD, &usage);
  return usage.ru_minflt;
}

static void reduce(int value) {
  char* vectors[VECTORS];
  for (int i = 0; i < VECTORS; ++i) {
    vectors[i] = malloc(BYTES);
    CHECK(vectors[i] != NULL);
    memset(vectors[i], value, BYTES);
  }
  for (int i = 0; i < VECTORS; ++i) free(vectors[i]);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  CHECK(size > 0);
  reduce(0);
  const long before = pages_found();
  for (int i = 0; i < TIMES; ++i) reduce(i);
  if (rank == 0) printf("pages %ld\n", (pages_found() - before) / TIMES);
  MPI_Finalize();
  return 0;
}
