/* Short calls in a row: what a tool that stands in their way costs each.
 *
 *   calls ROUNDS
 *
 * Prints the CPU time of rank 0 for a call, in us: of MPI_Send and MPI_Recv to and fro, of
 * MPI_Isend, MPI_Irecv and MPI_Waitall, and of MPI_Alltoall. CPU time, since MPI_Wtime may be
 * virtual; ranks spin while they wait, so it is what the clock on the wall shows where each has a
 * core. */
#define _POSIX_C_SOURCE 200809L
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double cpu_us(void) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return 1e6 * (double)now.tv_sec + 1e-3 * (double)now.tv_nsec;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rounds = argc > 1 ? atoi(argv[1]) : 100000;
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size != 2) {
    if (rank == 0) fprintf(stderr, "calls: two ranks\n");
    MPI_Finalize();
    return 2;
  }
  const int peer = 1 - rank;
  double out = rank, in = 0, all[2] = {rank, rank}, others[2];
  double begin = 0, blocking = 0, nonblocking = 0, alltoall = 0;
  for (int warm = 0; warm < 2; ++warm) {
    MPI_Barrier(MPI_COMM_WORLD);
    begin = cpu_us();
    for (int i = 0; i < rounds; ++i) {
      if (rank == 0) MPI_Send(&out, 1, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD);
      MPI_Recv(&in, 1, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      if (rank == 1) MPI_Send(&out, 1, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD);
    }
    blocking = (cpu_us() - begin) / (2.0 * rounds);
    MPI_Barrier(MPI_COMM_WORLD);
    begin = cpu_us();
    for (int i = 0; i < rounds; ++i) {
      MPI_Request both[2];
      MPI_Irecv(&in, 1, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, &both[0]);
      MPI_Isend(&out, 1, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, &both[1]);
      MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
    }
    nonblocking = (cpu_us() - begin) / (3.0 * rounds);
    MPI_Barrier(MPI_COMM_WORLD);
    begin = cpu_us();
    for (int i = 0; i < rounds; ++i) {
      MPI_Alltoall(all, 1, MPI_DOUBLE, others, 1, MPI_DOUBLE, MPI_COMM_WORLD);
    }
    alltoall = (cpu_us() - begin) / rounds;
  }
  if (rank == 0) {
    printf("blocking_us %.4f\nnonblocking_us %.4f\n", blocking, nonblocking);
    printf("alltoall_us %.4f\n", alltoall);
  }
  MPI_Finalize();
  return in == (double)peer ? 0 : 1;
}
