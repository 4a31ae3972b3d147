/* Computes and calls MPI in turn, ten thousand times a second or so: what a tool that watches the
 * calls may cost.
 *
 *   steady ROUNDS
 *
 * Prints what the whole took, in seconds. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rounds = argc > 1 ? atoi(argv[1]) : 10000;
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  volatile double sink = 1;
  double value = 1, sum = 0;
  long calls = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  for (int round = 0; round < rounds; ++round) {
    for (int i = 0; i < 35000; ++i) sink = sink * 0.999 + 0.001;
    const int next = (rank + 1) % size, previous = (rank + size - 1) % size;
    MPI_Request requests[2];
    switch (round % 3) {
      case 0:
        MPI_Allreduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        ++calls;
        break;
      case 1:
        MPI_Sendrecv(&value, 1, MPI_DOUBLE, next, 0, &sum, 1, MPI_DOUBLE, previous, 0,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        ++calls;
        break;
      default:
        MPI_Irecv(&sum, 1, MPI_DOUBLE, previous, 0, MPI_COMM_WORLD, &requests[0]);
        MPI_Isend(&value, 1, MPI_DOUBLE, next, 0, MPI_COMM_WORLD, &requests[1]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        calls += 3;
    }
  }
  double mine = MPI_Wtime() - start, longest = 0;
  MPI_Reduce(&mine, &longest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("time_s %.6f\ncalls_a_second %.0f\n", longest, (double)calls / longest);
  MPI_Finalize();
  return 0;
}
