// Says where each rank is, and how fast a long message went to the last rank.
#define _GNU_SOURCE
#include <mpi.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { kBytes = 2 << 20, kTries = 5 };

static void say_where(int rank) {
  char host[64];
  cpu_set_t cores;
  gethostname(host, sizeof host);
  sched_getaffinity(0, sizeof cores, &cores);
  size_t first = 0;
  while (!CPU_ISSET(first, &cores)) ++first;
  const char* tag = getenv("RIG_TEST_TAG");
  printf("rank %d host %s cores %d first %zu tag %s\n", rank, host, CPU_COUNT(&cores), first,
         tag ? tag : "none");
}

// The best of several tries, so that a busy machine does not hide a wire without a limit.
static void say_speed(int rank, int size) {
  char* data = calloc(kBytes, 1);
  char empty = 0;
  double best = 1e9;
  for (int i = 0; i < kTries; ++i) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = MPI_Wtime();
    if (rank == size - 1) {
      MPI_Recv(data, kBytes, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Send(&empty, 1, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
    } else if (rank == 0) {
      MPI_Send(data, kBytes, MPI_CHAR, size - 1, 0, MPI_COMM_WORLD);
      MPI_Recv(&empty, 1, MPI_CHAR, size - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      const double seconds = MPI_Wtime() - start;
      if (seconds < best) best = seconds;
    }
  }
  if (rank == 0) printf("mbit_per_s %.3f\n", 8e-6 * kBytes / best);
  free(data);
}

int main(int argc, char** argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  say_where(rank);
  if (size > 1) say_speed(rank, size);
  MPI_Finalize();
}
