/* One rank comes late while the others exchange more messages than there once were tags.
 *
 * All start an allreduce; then ranks 0 and 1 run broadcasts of 8 bytes, whose messages between
 * them outnumber 2^15 while the allreduce still waits for the last rank. That comes when it is
 * told that they are through, or after 3 s: an MPI may let nobody through before it.
 * Prints "straggler ok" on rank 0. */
#include <mpi.h>
#include <stdlib.h>
#include <time.h>

#include "check.h"

enum { COUNT = 24576, BROADCASTS = 33000, TAG = 7, SUM_OF_RANKS = 3 };

static double now_s(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void come_late(void) {
  const struct timespec nap = {0, 1000000};
  const double until = now_s() + 3;
  int told = 0;
  while (told == 0 && now_s() < until) {
    nanosleep(&nap, NULL);
    MPI_Iprobe(0, TAG, MPI_COMM_WORLD, &told, MPI_STATUS_IGNORE);
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  CHECK(size == 3);
  float* in = malloc(COUNT * sizeof *in);
  float* out = calloc(COUNT, sizeof *out);
  for (int i = 0; i < COUNT; ++i) in[i] = (float)(rank + i % 100);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == size - 1) come_late();
  MPI_Request sum;
  MPI_Iallreduce(in, out, COUNT, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD, &sum);
  for (long i = 0; i < BROADCASTS; ++i) {
    MPI_Request request;
    long value = rank == 0 ? i * 2654435761 : -1;
    MPI_Ibcast(&value, 1, MPI_LONG, 0, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK(value == i * 2654435761);
  }
  MPI_Request told = MPI_REQUEST_NULL;
  if (rank == 0) MPI_Isend(NULL, 0, MPI_BYTE, size - 1, TAG, MPI_COMM_WORLD, &told);
  MPI_Wait(&sum, MPI_STATUS_IGNORE);
  for (int i = 0; i < COUNT; ++i) CHECK(out[i] == (float)(SUM_OF_RANKS + 3 * (i % 100)));
  if (rank == size - 1) MPI_Recv(NULL, 0, MPI_BYTE, 0, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Wait(&told, MPI_STATUS_IGNORE);
  free(in);
  free(out);
  if (rank == 0) printf("straggler ok\n");
  MPI_Finalize();
  return 0;
}
