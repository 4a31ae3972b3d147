/* What `stretto profile` must count and tell apart: 3 ranks, one of which comes late, by
 * LATE_MS each of ROUNDS times, to collectives whose meaning says who has to wait for it.
 *
 * Calls are found by the functions they are in. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { ROUNDS = 10, LATE_MS = 100, COUNT = 1000 };

static int rank, size;
static double mine[COUNT * 8], all[COUNT * 8];

static void all_but_one_come(int late) {
  MPI_Barrier(MPI_COMM_WORLD);
  const struct timespec time = {0, LATE_MS * 1000000L};
  if (rank == late) nanosleep(&time, NULL);
}

static void allreduce(int late) {
  for (int i = 0; i < ROUNDS; ++i) {
    all_but_one_come(late);
    MPI_Allreduce(mine, all, COUNT, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
}

static void bcast_from_late(int late) {
  for (int i = 0; i < ROUNDS; ++i) {
    all_but_one_come(late);
    MPI_Bcast(mine, COUNT, MPI_DOUBLE, late, MPI_COMM_WORLD);
  }
}

static void bcast_to_late(int late) {
  for (int i = 0; i < ROUNDS; ++i) {
    all_but_one_come(late);
    MPI_Bcast(mine, COUNT, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  }
}

static void reduce_to_late(int late) {
  for (int i = 0; i < ROUNDS; ++i) {
    all_but_one_come(late);
    MPI_Reduce(mine, all, COUNT, MPI_DOUBLE, MPI_SUM, late, MPI_COMM_WORLD);
  }
}

static void reduce_from_late(int late) {
  for (int i = 0; i < ROUNDS; ++i) {
    all_but_one_come(late);
    MPI_Reduce(mine, all, COUNT, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  }
}

static void scan(int late) {
  for (int i = 0; i < ROUNDS; ++i) {
    all_but_one_come(late);
    MPI_Scan(mine, all, COUNT, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
}

/* Bytes that take some thought: blocks for each rank, in place, of other types. */
static void uneven(void) {
  int counts[8], displs[8];
  for (int i = 0; i < size; ++i) counts[i] = i + 1, displs[i] = 8 * i;
  int from_each[8];
  for (int i = 0; i < size; ++i) from_each[i] = rank + 1;
  MPI_Alltoallv(mine, counts, displs, MPI_DOUBLE, all, from_each, displs, MPI_DOUBLE,
                MPI_COMM_WORLD);
  MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, 4, MPI_INT, MPI_COMM_WORLD);
  MPI_Gather(mine, 3, MPI_SHORT, rank == 1 ? all : NULL, rank == 1 ? 3 : -7,
             rank == 1 ? MPI_SHORT : MPI_DATATYPE_NULL, 1, MPI_COMM_WORLD);
}

static void point_to_point(void) {
  MPI_Request requests[2];
  for (int i = 0; i < ROUNDS; ++i) {
    MPI_Irecv(all, COUNT, MPI_DOUBLE, (rank + size - 1) % size, 3, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(mine, COUNT, MPI_DOUBLE, (rank + 1) % size, 3, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  }
}

/* Communicators that come and go: their handles are used again. */
static void communicators(void) {
  for (int i = 0; i < ROUNDS; ++i) {
    MPI_Comm half;
    MPI_Comm_split(MPI_COMM_WORLD, rank > 0, rank, &half);
    MPI_Barrier(half);
    MPI_Comm_free(&half);
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  allreduce(0);
  bcast_from_late(1);
  bcast_to_late(1);
  reduce_to_late(1);
  reduce_from_late(1);
  scan(1);
  uneven();
  point_to_point();
  communicators();
  if (rank == 0) printf("profiled ok\n");
  MPI_Finalize();
  return 0;
}
