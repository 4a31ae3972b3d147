/* heap vectors: how many pages the kernel finds on average for rank 0 when it allocates vectors,
 * fills and frees them, as MPIs do for a reduction. Once Stretto has seen a long one,
 * none after the first time.
 * heap buffers: whether long buffers of the program's are mapped one by one, as glibc does as long
 * as it was given back none that is longer. */
#define _GNU_SOURCE
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "check.h"

enum { VECTORS = 3, BYTES = 1 << 20, TIMES = 20, LONG = 1 << 15, MAPPED = 160 << 10 };

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

static void buffers(void) {
  enum { CALLS = 20 };
  static double in[LONG], out[2 * LONG];
  int mapped = 0;
  for (int i = 0; i < CALLS; ++i) {
    MPI_Bcast(in, LONG, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    MPI_Gather(in, LONG, MPI_DOUBLE, out, LONG, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    char* buffer = malloc(MAPPED);
    CHECK(buffer != NULL);
    mapped += buffer > (char*)sbrk(0) ? 1 : 0; /* where the heap ends; it is not freed */
  }
  if (rank == 0) printf("mapped %d of %d\n", mapped, CALLS);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  CHECK(size > 0);
  CHECK(argc == 2);
  if (strcmp(argv[1], "buffers") == 0) {
    buffers();
    MPI_Finalize();
    return 0;
  }
  static double in[LONG], out[LONG];
  MPI_Reduce(in, out, LONG, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  reduce(0);
  const long before = pages_found();
  for (int i = 0; i < TIMES; ++i) reduce(i);
  if (rank == 0) printf("pages %ld\n", (pages_found() - before) / TIMES);
  MPI_Finalize();
  return 0;
}
