/* What the start of a nonblocking collective takes, and what the wait for it.
 *
 *   starts COLLECTIVE BYTES CALLS     COLLECTIVE: ibarrier, ibcast, ireduce, iallreduce, iallgather
 *
 * Prints the medians of the slowest rank. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "check.h"

static double now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return 1e9 * (double)now.tv_sec + (double)now.tv_nsec;
}

static int by_value(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

static double median(double* values, int count) {
  qsort(values, (size_t)count, sizeof *values, by_value);
  return values[count / 2];
}

static void start(char which, const double* send, double* recv, int count, MPI_Request* request) {
  const MPI_Comm comm = MPI_COMM_WORLD;
  switch (which) {
    case 'a': /* ibarrier */
      MPI_Ibarrier(comm, request);
      break;
    case 'c': /* ibcast */
      MPI_Ibcast(recv, count, MPI_DOUBLE, 0, comm, request);
      break;
    case 'd': /* ireduce */
      MPI_Ireduce(send, recv, count, MPI_DOUBLE, MPI_SUM, 0, comm, request);
      break;
    case 'r': /* iallreduce */
      MPI_Iallreduce(send, recv, count, MPI_DOUBLE, MPI_SUM, comm, request);
      break;
    default:
      MPI_Iallgather(send, count, MPI_DOUBLE, recv, count, MPI_DOUBLE, comm, request);
  }
}

/* The letter that tells them apart. */
static char kind_of(const char* name) {
  if (strcmp(name, "ibarrier") == 0) return 'a';
  if (strcmp(name, "ibcast") == 0) return 'c';
  if (strcmp(name, "ireduce") == 0) return 'd';
  return strcmp(name, "iallreduce") == 0 ? 'r' : 'g';
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  CHECK(argc == 4);
  const char which = kind_of(argv[1]);
  const int count = atoi(argv[2]) / (int)sizeof(double), calls = atoi(argv[3]);
  CHECK(count >= 0 && calls > 0);
  double* send = calloc((size_t)count + 1, sizeof *send);
  double* recv = calloc(((size_t)count + 1) * (size_t)size, sizeof *recv);
  double* starts = malloc((size_t)calls * sizeof *starts);
  double* waits = malloc((size_t)calls * sizeof *waits);
  for (int call = -calls / 10; call < calls; ++call) { /* the first warm up */
    MPI_Request request;
    const double begin = now_ns();
    start(which, send, recv, count, &request);
    const double started = now_ns();
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (call < 0) continue;
    waits[call] = now_ns() - started;
    starts[call] = started - begin;
  }
  double mine[2], worst[2];
  mine[0] = median(starts, calls);
  mine[1] = median(waits, calls);
  MPI_Reduce(mine, worst, 2, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("start_ns %.0f\nwait_ns %.0f\n", worst[0], worst[1]);
  free(send), free(recv), free(starts), free(waits);
  MPI_Finalize();
  return 0;
}
