/* MPI-IO in its ways: what `stretto profile` must count of it.
 *
 *   files PATH */
#include <mpi.h>
#include <stdio.h>

enum { ROUNDS = 5, COUNT = 64 };

static int rank, size;
static double values[COUNT];

static void alone(MPI_File file) {
  for (int i = 0; i < ROUNDS; ++i) {
    const MPI_Offset mine = rank * (MPI_Offset)sizeof values;
    MPI_Request request;
    MPI_File_write_at(file, mine, values, COUNT, MPI_DOUBLE, MPI_STATUS_IGNORE);
    MPI_File_read_at(file, mine, values, COUNT / 2, MPI_DOUBLE, MPI_STATUS_IGNORE);
    MPI_File_iread_at(file, mine, values, COUNT, MPI_DOUBLE, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
}

static void together(MPI_File file) {
  MPI_File_set_view(file, rank * (MPI_Offset)sizeof values, MPI_DOUBLE, MPI_DOUBLE, "native",
                    MPI_INFO_NULL);
  for (int i = 0; i < ROUNDS; ++i) {
    MPI_File_write_at_all(file, 0, values, COUNT, MPI_DOUBLE, MPI_STATUS_IGNORE);
    MPI_File_read_at_all_begin(file, 0, values, COUNT, MPI_DOUBLE);
    MPI_File_read_at_all_end(file, values, MPI_STATUS_IGNORE);
  }
  MPI_File_sync(file);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const char* path = argc > 1 ? argv[1] : "files.out";
  MPI_File file;
  MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
  alone(file);
  together(file);
  MPI_File_close(&file);
  if (rank == 0) printf("files ok\n");
  MPI_Finalize();
  return 0;
}
