/* Ends at once where an earlier run of it was.
 *
 *   once FOLDER SECONDS
 *
 * Makes the folder and computes for so long; where it is there already there is nothing to do. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, is_new = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (argc != 3) MPI_Abort(MPI_COMM_WORLD, 2);
  if (rank == 0) is_new = mkdir(argv[1], 0777) == 0;
  MPI_Bcast(&is_new, 1, MPI_INT, 0, MPI_COMM_WORLD);
  volatile double sink = 1;
  for (const double end = MPI_Wtime() + atof(argv[2]); is_new && MPI_Wtime() < end;) {
    for (int i = 0; i < 100000; ++i) sink = sink * 0.999 + 0.001;
  }
  if (rank == 0) printf("once %s\n", is_new ? "ok" : "was here");
  MPI_Finalize();
  return 0;
}
