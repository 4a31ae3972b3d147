/* What a collective takes, from its start to its end.
 *
 *   latency COLLECTIVE BYTES [CALLS]     COLLECTIVE: barrier, bcast, reduce, allreduce,
 *                                        gather, scatter, allgather, alltoall, or one of
 *                                        these nonblocking, followed by MPI_Wait: ibarrier, ...
 *                                        And calls that no collective is in: test, of a receive
 *                                        that is pending; lookup, the same before each change of
 *                                        a table that caches do not hold; message, from a rank to
 *                                        itself.
 *
 * BYTES is the vector's length, or one rank's block's for the last four. Prints the median
 * over fours of batches of calls, each the slowest rank's time a call, and the ranks' mean. Rooted
 * collectives take every rank as their root in turn, so that no rank can run ahead of the others.
 *
 * MPIs put short messages behind each other into a ring in shared memory, and whether all of them
 * lie across two cache lines depends on how many there were before, each way. So the batches of
 * four are one such message apart, there and back in turn.
 */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FOURS = 5 };

enum { TEST = 8, LOOKUP, MESSAGE, CALLS };
static const char* const kNames[] = {"barrier", "bcast",   "reduce",    "allreduce",
                                     "gather",  "scatter", "allgather", "alltoall",
                                     "test",    "lookup",  "message"};

static MPI_Request pending = MPI_REQUEST_NULL;

static void test(void) {
  int done = 0;
  MPI_Test(&pending, &done, MPI_STATUS_IGNORE);
}

/* Where in the table the next change is depends on the one before, but on none of the data. */
static uint64_t* table = NULL;
enum { TABLE_ENTRIES = 1 << 22 }; /* 32 MiB */

static void lookup(void) {
  static uint64_t place = 1;
  test();
  place = (place << 1) ^ ((int64_t)place < 0 ? 7 : 0);
  table[place % TABLE_ENTRIES] ^= place;
}

static void message(const double* send, double* recv, int count) {
  MPI_Request request;
  MPI_Isend(send, count, MPI_DOUBLE, 0, 1, MPI_COMM_SELF, &request);
  MPI_Recv(recv, count, MPI_DOUBLE, 0, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void call(int which, double* send, double* recv, int count, int root) {
  const MPI_Comm comm = MPI_COMM_WORLD;
  switch (which) {
    case 0:
      MPI_Barrier(comm);
      break;
    case 1:
      MPI_Bcast(recv, count, MPI_DOUBLE, root, comm);
      break;
    case 2:
      MPI_Reduce(send, recv, count, MPI_DOUBLE, MPI_SUM, root, comm);
      break;
    case 3:
      MPI_Allreduce(send, recv, count, MPI_DOUBLE, MPI_SUM, comm);
      break;
    case 4:
      MPI_Gather(send, count, MPI_DOUBLE, recv, count, MPI_DOUBLE, root, comm);
      break;
    case 5:
      MPI_Scatter(send, count, MPI_DOUBLE, recv, count, MPI_DOUBLE, root, comm);
      break;
    case 6:
      MPI_Allgather(send, count, MPI_DOUBLE, recv, count, MPI_DOUBLE, comm);
      break;
    case TEST:
      test();
      break;
    case LOOKUP:
      lookup();
      break;
    case MESSAGE:
      message(send, recv, count);
      break;
    default:
      MPI_Alltoall(send, count, MPI_DOUBLE, recv, count, MPI_DOUBLE, comm);
  }
}

static void start(int which, double* send, double* recv, int count, int root,
                  MPI_Request* request) {
  const MPI_Comm comm = MPI_COMM_WORLD;
  switch (which) {
    case 0:
      MPI_Ibarrier(comm, request);
      break;
    case 1:
      MPI_Ibcast(recv, count, MPI_DOUBLE, root, comm, request);
      break;
    case 2:
      MPI_Ireduce(send, recv, count, MPI_DOUBLE, MPI_SUM, root, comm, request);
      break;
    case 3:
      MPI_Iallreduce(send, recv, count, MPI_DOUBLE, MPI_SUM, comm, request);
      break;
    case 4:
      MPI_Igather(send, count, MPI_DOUBLE, recv, count, MPI_DOUBLE, root, comm, request);
      break;
    case 5:
      MPI_Iscatter(send, count, MPI_DOUBLE, recv, count, MPI_DOUBLE, root, comm, request);
      break;
    case 6:
      MPI_Iallgather(send, count, MPI_DOUBLE, recv, count, MPI_DOUBLE, comm, request);
      break;
    default:
      MPI_Ialltoall(send, count, MPI_DOUBLE, recv, count, MPI_DOUBLE, comm, request);
  }
}

/* Moves on by one the place of the next message between neighbours, one way. */
static void move_ring(int batch, int rank, int size) {
  int moved = 0;
  const int sender = rank % 2 == batch % 2, other = rank % 2 == 0 ? rank + 1 : rank - 1;
  if (batch < 0 || other >= size) return;
  if (sender)
    MPI_Send(&moved, 1, MPI_INT, other, 3, MPI_COMM_WORLD);
  else
    MPI_Recv(&moved, 1, MPI_INT, other, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static int by_value(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, size, which = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const char* name = argc > 1 ? argv[1] : "";
  const int bytes = argc > 2 ? atoi(argv[2]) : -1, calls = argc > 3 ? atoi(argv[3]) : 200;
  const int nonblocking = name[0] == 'i';
  const int names = nonblocking ? TEST : CALLS;
  while (which < names && strcmp(name + nonblocking, kNames[which]) != 0) ++which;
  if (which == names || bytes < 0 || calls < 1) {
    if (rank == 0)
      fprintf(stderr,
              "usage: latency COLLECTIVE BYTES [CALLS]\n"
              "example: latency allreduce 8 1000\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  const int count = bytes / (int)sizeof(double);
  const size_t elements = ((size_t)count + 1) * (size_t)size;
  double *send = calloc(elements, sizeof *send), *recv = calloc(elements, sizeof *recv);

  double never = 0;
  const int tests = which == TEST || which == LOOKUP;
  if (which == LOOKUP) {
    table = malloc(TABLE_ENTRIES * sizeof *table);
    /* Written once, or the calls that are timed would take the pages from the system. */
    for (int i = 0; i < TABLE_ENTRIES; ++i) table[i] = (uint64_t)i;
  }
  if (tests) MPI_Irecv(&never, 1, MPI_DOUBLE, 0, 2, MPI_COMM_SELF, &pending);

  double four_us[FOURS] = {0}, mean_us[FOURS] = {0};
  for (int batch = -1; batch < 4 * FOURS; ++batch) { /* the first warms up */
    move_ring(batch, rank, size);
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = MPI_Wtime();
    for (int i = 0; i < calls; ++i) {
      MPI_Request request;
      if (!nonblocking) {
        call(which, send, recv, count, i % size);
        continue;
      }
      start(which, send, recv, count, i % size, &request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    double mine = (MPI_Wtime() - begin) / calls * 1e6, worst = 0, sum = 0;
    MPI_Allreduce(&mine, &worst, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    if (batch < 0) continue;
    four_us[batch / 4] += worst / 4;
    mean_us[batch / 4] += sum / size / 4;
  }
  if (rank == 0) {
    qsort(four_us, FOURS, sizeof *four_us, by_value);
    qsort(mean_us, FOURS, sizeof *mean_us, by_value);
    printf("%s %d bytes, %d ranks\nlatency_us %.3f\nmean_us %.3f\n", name, bytes, size,
           four_us[FOURS / 2], mean_us[FOURS / 2]);
  }
  if (tests) {
    MPI_Send(send, 1, MPI_DOUBLE, 0, 2, MPI_COMM_SELF);
    MPI_Wait(&pending, MPI_STATUS_IGNORE);
  }
  free(table);
  free(send);
  free(recv);
  MPI_Finalize();
  return 0;
}
