/* Several threads, each with blocking and nonblocking collectives on a communicator of its own
 * that it makes and frees; with the argument "freed" also a type that one thread frees while
 * another is blocked in a collective with it, of which Open MPI 4.1 and MPICH 5.0 themselves die.
 *
 * Knows nothing of Stretto. Prints "threads ok" on rank 0. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

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

enum { PAIRS = 64 };

static MPI_Datatype every_second;
static int received[4][4 * PAIRS];

static void nap(double seconds) {
  const struct timespec pause = {0, (long)(seconds * 1e9)};
  nanosleep(&pause, NULL);
}

static void* block(void* of) {
  int sent[2 * PAIRS];
  for (int i = 0; i < 2 * PAIRS; ++i) sent[i] = 1000 * rank + i;
  MPI_Allgather(sent, 1, every_second, received, 1, every_second, *(MPI_Comm*)of);
  return NULL;
}

/* Rank 0 frees what its other thread waits with, and makes others in its place. */
static void free_beneath(MPI_Comm comm) {
  enum { OTHERS = 100 };
  pthread_t blocked;
  MPI_Datatype vector, others[OTHERS];
  MPI_Type_vector(PAIRS, 1, 2, MPI_INT, &vector);
  MPI_Type_create_resized(vector, 0, 2 * PAIRS * sizeof(int), &every_second);
  MPI_Type_commit(&every_second);
  MPI_Type_free(&vector);
  if (rank != 0) nap(0.2);
  pthread_create(&blocked, NULL, block, &comm);
  if (rank == 0) {
    nap(0.1);
    MPI_Type_free(&every_second);
    for (int i = 0; i < OTHERS; ++i) {
      MPI_Type_vector(1 + i, 2, 3, MPI_CHAR, &others[i]);
      MPI_Type_commit(&others[i]);
    }
  }
  pthread_join(blocked, NULL);
  const int* all = &received[0][0];
  for (int r = 0; r < size; ++r) {
    for (int i = 0; i < PAIRS; ++i) {
      CHECK(all[2 * PAIRS * r + 2 * i] == 1000 * r + 2 * i && all[2 * PAIRS * r + 2 * i + 1] == 0);
    }
  }
  if (rank == 0) {
    for (int i = 0; i < OTHERS; ++i) MPI_Type_free(&others[i]);
  } else {
    MPI_Type_free(&every_second);
  }
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
  if (argc > 1 && strcmp(argv[1], "freed") == 0) free_beneath(comms[0]);
  for (int t = 0; t < THREADS; ++t) MPI_Comm_free(&comms[t]);
  if (rank == 0) printf("threads ok\n");
  MPI_Finalize();
  return 0;
}
