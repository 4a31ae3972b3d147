/* Several threads, each with blocking and nonblocking collectives on a communicator of its own
 * that it makes and frees.
 *
 * Knows nothing of Stretto. Prints "threads ok" on rank 0. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>

#include "check.h"

enum { THREADS = 3, ROUNDS = 100, COUNT = 500 };

static void* exercise(void* of) {
  MPI_Comm first = *(MPI_Comm*)of, comm;
  int in[COUNT], sum[COUNT], later[COUNT];
  for (int i = 0; i < COUNT; ++i) in[i] = rank + i;
  for (int round = 0; round < ROUNDS; ++round) {
    MPI_Request requests[2];
    MPI_Comm_dup(first, &comm);
    MPI_Iallreduce(in, later, COUNT, MPI_INT, MPI_SUM, comm, &requests[0]);
    MPI_Ibarrier(comm, &requests[1]);
    MPI_Allreduce(in, sum, COUNT, MPI_INT, MPI_SUM, first);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < COUNT; ++i) {
      CHECK(sum[i] == size * (size - 1) / 2 + size * i && later[i] == sum[i]);
    }
    MPI_Comm_free(&comm);
  }
  return NULL;
}

int main(int argc, char** argv) {
  int provided = 0;
  MPI_Comm comms[THREADS];
  pthread_t threads[THREADS];
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  CHECK(provided == MPI_THREAD_MULTIPLE);
  for (int t = 0; t < THREADS; ++t) MPI_Comm_dup(MPI_COMM_WORLD, &comms[t]);
  for (int t = 0; t < THREADS; ++t) pthread_create(&threads[t], NULL, exercise, &comms[t]);
  for (int t = 0; t < THREADS; ++t) pthread_join(threads[t], NULL);
  for (int t = 0; t < THREADS; ++t) MPI_Comm_free(&comms[t]);
  if (rank == 0) printf("threads ok\n");
  MPI_Finalize();
  return 0;
}
