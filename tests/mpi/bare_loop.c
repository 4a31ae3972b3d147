/* The least that timing a collective takes: two looks at the clock around each call. Prints of each
 * rank's calls the median, in ns. Usage: bare_loop allreduce|bcast|barrier BYTES CALLS */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double now_ns(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return 1e9 * (double)time.tv_sec + (double)time.tv_nsec;
}

static int by_size(const void* one, const void* other) {
  const double difference = *(const double*)one - *(const double*)other;
  return difference < 0 ? -1 : difference > 0;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  if (argc != 4) MPI_Abort(MPI_COMM_WORLD, 2);
  const int bytes = atoi(argv[2]);
  const int calls = atoi(argv[3]);
  double* in = calloc((size_t)bytes / 8 + 1, 8);
  double* out = calloc((size_t)bytes / 8 + 1, 8);
  double* took = malloc((size_t)calls * sizeof *took);
  const char what = argv[1][strlen(argv[1]) - 1]; /* allreducE, bcasT, barrieR */
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int call = -10; call < calls; ++call) {
    const double begin = now_ns();
    if (what == 'e') {
      MPI_Allreduce(in, out, bytes / 8, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    } else if (what == 't') {
      MPI_Bcast(in, bytes / 8, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    } else {
      MPI_Barrier(MPI_COMM_WORLD);
    }
    const double end = now_ns();
    if (call >= 0) took[call] = end - begin;
  }
  qsort(took, (size_t)calls, sizeof *took, by_size);
  printf("rank %d %.0f\n", rank, took[calls / 2]);
  free(in);
  free(out);
  free(took);
  MPI_Finalize();
  return 0;
}
