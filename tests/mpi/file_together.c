/* All ranks write one file, which an MPI does by collectives of its own.
 *
 *   file_together PATH */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank;
  double values[64] = {0};
  MPI_File file;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const char* path = argc > 1 ? argv[1] : "file_together.out";
  MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file);
  MPI_File_write_at_all(file, rank * (MPI_Offset)sizeof values, values, 64, MPI_DOUBLE,
                        MPI_STATUS_IGNORE);
  MPI_File_close(&file);
  if (rank == 0) printf("file ok\n");
  MPI_Finalize();
  return 0;
}
