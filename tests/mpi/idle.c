/* Does the library leave a computing program alone?
 *
 *   idle SECONDS
 *
 * Uses collectives, lets everything complete, then computes for SECONDS with nothing
 * pending and prints the voluntary context switches of the whole process meanwhile (the
 * most of any rank): each is a thread that went to sleep, so had been woken. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

static long voluntary_switches(void) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_nvcsw;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const double seconds = argc > 1 ? atof(argv[1]) : 5;
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  double values[4096] = {0}, sums[4096];
  for (int i = 0; i < 20; ++i) {
    MPI_Request request;
    MPI_Iallreduce(values, sums, 4096, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  MPI_Barrier(MPI_COMM_WORLD);

  volatile double sink = 1;
  const long before = voluntary_switches();
  for (const double end = MPI_Wtime() + seconds; MPI_Wtime() < end;) {
    for (int i = 0; i < 100000; ++i) sink = sink * 0.999 + 0.001;
  }
  long mine = voluntary_switches() - before, most = 0;
  MPI_Reduce(&mine, &most, 1, MPI_LONG, MPI_MAX, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("voluntary_switches %ld\n", most);
  MPI_Finalize();
  return 0;
}
