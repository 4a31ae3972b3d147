// A program of somebody who has just installed Stretto: it computes while an allreduce is under
// way, and sends to the next rank.
//
//   app [STEPS] [WAY]
//
// WAY is what is odd or wrong about it. `quiet`: no collectives. `reads`: STEPS is read from
// standard input. `once`: where its result is there already it ends at once. `late`: rank 1
// computes a hundred times as long. `noisy`: the last digits of its checksum are chance.
// `crashes`, `hangs`: rank 1 does, half-way.
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LENGTH = 8192 };

static double work[LENGTH], mine[LENGTH], sums[LENGTH];
static const char* way = "";

static int is(const char* name) { return strcmp(way, name) == 0; }

static void compute(int times) {
  for (int time = 0; time < times; ++time)
    for (int at = 0; at < LENGTH; ++at) work[at] = cos(work[at] + 1e-4 * at);
}

// Not inlined: a compiler's own functions are on no call path.
__attribute__((noinline)) static double solve(int steps, int rank, int ranks) {
  double from_left = 0;
  for (int step = 0; step < steps; ++step) {
    MPI_Request request;
    memcpy(mine, work, sizeof mine);
    if (!is("quiet"))
      MPI_Iallreduce(mine, sums, LENGTH, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request);
    compute(is("late") && rank == 1 ? 400 : 4);
    if (rank == 1 && 2 * step >= steps) {
      if (is("crashes")) abort();
      while (is("hangs")) sleep(1);
    }
    MPI_Sendrecv(&work[1], 1, MPI_DOUBLE, (rank + 1) % ranks, 0, &from_left, 1, MPI_DOUBLE,
                 (rank + ranks - 1) % ranks, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (!is("quiet")) MPI_Wait(&request, MPI_STATUS_IGNORE);
    work[0] = sums[LENGTH / 2] / ranks + from_left;
  }
  double greatest = work[LENGTH / 2];
  if (!is("quiet")) MPI_Allreduce(MPI_IN_PLACE, &greatest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return greatest;
}

int main(int argc, char** argv) {
  int rank, ranks, steps = argc > 1 ? atoi(argv[1]) : 20;
  if (argc > 2) way = argv[2];
  if (is("once") && access("result", F_OK) == 0) steps = -1;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (steps < 0) {
    if (rank == 0) puts("there is a result already");
    return MPI_Finalize();
  }
  if (is("reads")) {
    if (rank == 0 && scanf("%d", &steps) != 1) steps = 0;
    MPI_Bcast(&steps, 1, MPI_INT, 0, MPI_COMM_WORLD);
  }
  const double begun = MPI_Wtime();
  double checksum = solve(steps, rank, ranks);
  if (is("noisy")) checksum *= 1 + 1e-13 * (getpid() % 1000);
  if (rank == 0) {
    printf("steps %d\nchecksum %.15f\ntime %f s\n", steps, checksum, MPI_Wtime() - begun);
    if (is("once")) fclose(fopen("result", "w"));
  }
  return MPI_Finalize();
}
