/* A rank comes to a collective when all that need not wait for it have left.
 *
 *   late_ranks COLLECTIVE...      bcast, scatter, gather, reduce
 *
 * They tell it so by messages: if one of them waited for it, all would wait for ever. Each rank but
 * the root is late in turn, for blocks and vectors of several lengths; who
 * has left writes over what it sent. Prints "late_ranks ok" on rank 0. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

enum { TAG = 5, MOST_BYTES = 1 << 20 };

static const int kBytes[] = {8, 40000, MOST_BYTES};
static const char* name;

static int is(const char* other) { return strcmp(name, other) == 0; }

static int value(int from, int turn, int i) { return 1000 * turn + 10 * from + i % 7; }

static void fill(int* data, int from, int turn, int count) {
  for (int i = 0; i < count; ++i) data[i] = value(from, turn, i);
}

static void call(int* send, int* recv, int count, int root) {
  const MPI_Comm comm = MPI_COMM_WORLD;
  if (is("bcast")) MPI_Bcast(rank == root ? send : recv, count, MPI_INT, root, comm);
  if (is("scatter")) MPI_Scatter(send, count, MPI_INT, recv, count, MPI_INT, root, comm);
  if (is("gather")) MPI_Gather(send, count, MPI_INT, recv, count, MPI_INT, root, comm);
  if (is("reduce")) MPI_Reduce(send, recv, count, MPI_INT, MPI_SUM, root, comm);
}

static void check(const int* send, const int* recv, int turn, int count, int root) {
  if (is("bcast")) recv = rank == root ? send : recv;
  for (int i = 0; i < count; ++i) {
    if (is("bcast")) CHECK(recv[i] == value(root, turn, i));
    if (is("scatter")) CHECK(recv[i] == value(rank, turn, i));
    if (rank != root) continue;
    int sum = 0;
    for (int from = 0; from < size; ++from) {
      sum += value(from, turn, i);
      if (is("gather"))
        CHECK(recv[(size_t)from * (size_t)count + (size_t)i] == value(from, turn, i));
    }
    if (is("reduce")) CHECK(recv[i] == sum);
  }
}

static void run(int turn, int count, int root, int late, int* send, int* recv) {
  const int from_root = is("bcast") || is("scatter");
  /* A root needs what it gathers. */
  const int awaited = from_root ? size - 1 : size - 2;
  const int blocks = rank == root && is("scatter") ? size : 1;
  for (int block = 0; block < blocks; ++block) {
    const int owner = is("scatter") ? block : rank;
    fill(send + (size_t)block * (size_t)count, owner, turn, count);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; rank == late && i < awaited; ++i) {
    MPI_Recv(NULL, 0, MPI_INT, MPI_ANY_SOURCE, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  call(send, recv, count, root);
  check(send, recv, turn, count, root);
  memset(send, 0xff, (size_t)count * (size_t)blocks * sizeof *send);
  if (rank == late || (!from_root && rank == root)) return;
  MPI_Send(NULL, 0, MPI_INT, late, TAG, MPI_COMM_WORLD);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const size_t bytes = (size_t)MOST_BYTES * (size_t)size;
  int *send = malloc(bytes), *recv = malloc(bytes);
  int turn = 0;
  for (int which = 1; which < argc; ++which) {
    name = argv[which];
    for (size_t i = 0; i < sizeof kBytes / sizeof *kBytes; ++i) {
      for (int both = 0; both < 2 * size; ++both) {
        const int root = both < size ? 0 : size - 1, late = both % size;
        if (late == root) continue;
        run(++turn % 100, kBytes[i] / (int)sizeof(int), root, late, send, recv);
      }
    }
  }
  free(send);
  free(recv);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) printf("late_ranks ok\n");
  MPI_Finalize();
  return 0;
}
