/* A program whose malloc reads a clock, as jemalloc's does, from the first call on. */
#include <mpi.h>
#include <stddef.h>
#include <stdio.h>
#include <time.h>

extern void* __libc_malloc(size_t bytes); /* glibc's own */

void* malloc(size_t bytes) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return __libc_malloc(bytes);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  fputs("stamped malloc ok\n", stdout); /* at once: puts may let another rank's line in between */
  return 0;
}
