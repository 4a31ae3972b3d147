/* Long collectives where the kernel does not let ranks read each other's memory.
 *
 *   kernel_refuses WHEN WHO ERRNO     WHEN: start (before MPI_Init), middle (of the run), never
 *                                     WHO: the rank that is refused; -1: all
 *
 * Knows nothing of Stretto. The rank at the start is what the launcher says. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "refuse.h"

enum { COUNT = 1 << 17, ROUNDS = 4 };

static int launched_as(void) {
  const char* text = getenv("OMPI_COMM_WORLD_RANK");
  if (text == NULL) text = getenv("PMI_RANK");
  return text == NULL ? 0 : atoi(text);
}

static double value(int from, int i, int turn) { return from * 1000.0 + i % 977 + turn; }

static void round_of_calls(int turn, int nonblocking, double* send, double* recv) {
  const int root = turn % size;
  for (int i = 0; i < COUNT; ++i) send[i] = value(rank, i, turn);
  if (rank == root) memcpy(recv, send, COUNT * sizeof *recv);
  RUN(nonblocking, Bcast, bcast, recv, COUNT, MPI_DOUBLE, root, MPI_COMM_WORLD);
  for (int i = 0; i < COUNT; ++i) CHECK(recv[i] == value(root, i, turn));
  RUN(nonblocking, Allreduce, allreduce, send, recv, COUNT, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  for (int i = 0; i < COUNT; ++i)
    CHECK(recv[i] == value(0, i, turn) * size + 500.0 * size * (size - 1));
  RUN(nonblocking, Reduce, reduce, send, recv, COUNT, MPI_DOUBLE, MPI_SUM, root, MPI_COMM_WORLD);
  for (int i = 0; i < COUNT && rank == root; ++i)
    CHECK(recv[i] == value(0, i, turn) * size + 500.0 * size * (size - 1));
  RUN(nonblocking, Allgather, allgather, send, COUNT, MPI_DOUBLE, recv, COUNT, MPI_DOUBLE,
      MPI_COMM_WORLD);
  for (int from = 0; from < size; ++from)
    for (int i = 0; i < COUNT; ++i)
      CHECK(recv[(size_t)from * COUNT + (size_t)i] == value(from, i, turn));
}

int main(int argc, char** argv) {
  const char* when = argc > 1 ? argv[1] : "never";
  const int who = argc > 2 ? atoi(argv[2]) : -1, error = argc > 3 ? atoi(argv[3]) : 1;
  const int is_refused = who < 0 || who == launched_as();
  if (is_refused && strcmp(when, "start") == 0) refuse(error);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  double* const send = malloc(COUNT * sizeof *send);
  double* const recv = malloc((size_t)size * COUNT * sizeof *recv);
  for (int turn = 0; turn < ROUNDS; ++turn) {
    if (is_refused && turn == ROUNDS / 2 && strcmp(when, "middle") == 0) refuse(error);
    for (int nonblocking = 0; nonblocking < 2; ++nonblocking)
      round_of_calls(turn, nonblocking, send, recv);
  }
  if (rank == 0) printf("kernel_refuses ok\n");
  free(send);
  free(recv);
  MPI_Finalize();
  return 0;
}
