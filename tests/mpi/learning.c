/* Blocking collectives, often enough for it to be found out which algorithm runs them fastest, each
 * checked; and between them messages of the program's own that are under way meanwhile.
 *
 *   learning CALLS */
#include <stdlib.h>
#include <string.h>

#include "check.h"

#define MOST 4096 /* ints */

static int mine[MOST], theirs[8 * MOST], all[8 * MOST], sums[MOST];

static void collectives(int call, int count) {
  const int root = call % size;
  for (int i = 0; i < count; ++i) mine[i] = rank == root ? call + i : -1;
  MPI_Bcast(mine, count, MPI_INT, root, MPI_COMM_WORLD);
  for (int i = 0; i < count; ++i) CHECK(mine[i] == call + i);

  for (int i = 0; i < count; ++i) mine[i] = call + rank + i;
  memset(theirs, 0, sizeof theirs);
  MPI_Allgather(mine, count, MPI_INT, theirs, count, MPI_INT, MPI_COMM_WORLD);
  for (int i = 0; i < size * count; ++i) CHECK(theirs[i] == call + i / count + i % count);

  MPI_Allreduce(mine, sums, count, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  for (int i = 0; i < count; ++i) CHECK(sums[i] == size * (call + i) + size * (size - 1) / 2);

  MPI_Reduce(mine, sums, count, MPI_INT, MPI_MAX, root, MPI_COMM_WORLD);
  for (int i = 0; i < count; ++i) CHECK(rank != root || sums[i] == call + size - 1 + i);

  MPI_Barrier(MPI_COMM_WORLD);
}

/* Those that move a block for each rank, and those of the ranks before. */
static void blocks_and_scans(int call, int count) {
  const int root = call % size;
  for (int i = 0; i < count; ++i) mine[i] = call + rank + i;
  MPI_Gather(mine, count, MPI_INT, theirs, count, MPI_INT, root, MPI_COMM_WORLD);
  for (int i = 0; i < size * count; ++i) {
    CHECK(rank != root || theirs[i] == call + i / count + i % count);
  }

  memset(sums, 0, sizeof sums);
  MPI_Scatter(theirs, count, MPI_INT, sums, count, MPI_INT, root, MPI_COMM_WORLD);
  for (int i = 0; i < count; ++i) CHECK(sums[i] == call + rank + i);

  for (int i = 0; i < size * count; ++i) all[i] = call + rank * size + i / count;
  MPI_Alltoall(all, count, MPI_INT, theirs, count, MPI_INT, MPI_COMM_WORLD);
  for (int i = 0; i < size * count; ++i) CHECK(theirs[i] == call + i / count * size + rank);

  for (int i = 0; i < size * count; ++i) all[i] = call + i;
  MPI_Reduce_scatter_block(all, sums, count, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  for (int i = 0; i < count; ++i) CHECK(sums[i] == size * (call + rank * count + i));

  MPI_Scan(mine, sums, count, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  for (int i = 0; i < count; ++i) CHECK(sums[i] == mine[i]);
  MPI_Exscan(mine, sums, count, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  for (int i = 0; i < count; ++i) CHECK(rank == 0 || sums[i] == mine[i] - 1);
}

/* A long message that is received before a collective whose sender is in it already. */
static void message_around(int call) {
  static char data[1 << 20];
  MPI_Request request = MPI_REQUEST_NULL;
  if (rank == 0) {
    MPI_Isend(data, sizeof data, MPI_BYTE, size - 1, 0, MPI_COMM_WORLD, &request);
  } else if (rank == size - 1) {
    MPI_Recv(data, sizeof data, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  int most = 0;
  MPI_Allreduce(&call, &most, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  CHECK(most == call);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* On a communicator of its own, and with a result that must not change in its last bits. */
static void sums_of_fractions(MPI_Comm comm, int calls) {
  double first = 0;
  for (int call = 0; call < calls; ++call) {
    const double fraction = 1.0 / (rank + 3);
    double sum = 0;
    MPI_Allreduce(&fraction, &sum, 1, MPI_DOUBLE, MPI_SUM, comm);
    if (call == 0) first = sum;
    CHECK(memcmp(&first, &sum, sizeof sum) == 0);
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  CHECK(size <= 8);
  const int calls = argc > 1 ? atoi(argv[1]) : 300;
  for (int call = 0; call < calls; ++call) {
    collectives(call, 2);
    collectives(call, MOST);
    blocks_and_scans(call, 2);
    blocks_and_scans(call, MOST);
    if (call % 8 == 0) message_around(call);
  }
  MPI_Comm odd_and_even;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &odd_and_even);
  sums_of_fractions(odd_and_even, calls);
  MPI_Comm_free(&odd_and_even);
  if (rank == 0) printf("learning ok\n");
  MPI_Finalize();
  return 0;
}
