/* A tool whose MPI_Allreduce takes another time after some calls, as an MPI that changes its way
 * does: the first SWITCHING_AFTER calls take 1 ms more. To be preloaded. */
#include <mpi.h>
#include <stdlib.h>
#include <time.h>

static double now_us(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return 1e6 * (double)now.tv_sec + 1e-3 * (double)now.tv_nsec;
}

int MPI_Allreduce(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op,
                  MPI_Comm comm) {
  static int calls;
  const char* const after = getenv("SWITCHING_AFTER");
  const double until = now_us() + (after != NULL && calls++ < atoi(after) ? 1000 : 0);
  while (now_us() < until) {
  }
  return PMPI_Allreduce(in, out, count, type, op, comm);
}
