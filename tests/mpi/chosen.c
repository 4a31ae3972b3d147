// One collective of one size, ten times: which algorithm runs it is seen from outside. Arguments:
// its name, bytes and, if rank 1 is to come late to each call, by how many milliseconds.
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { kCalls = 10 };

static void call(const char* name, void* in, void* out, int bytes) {
  if (strcmp(name, "bcast") == 0) {
    MPI_Bcast(out, bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
  } else if (strcmp(name, "allgather") == 0) {
    MPI_Allgather(in, bytes, MPI_BYTE, out, bytes, MPI_BYTE, MPI_COMM_WORLD);
  } else {
    MPI_Allreduce(in, out, bytes, MPI_BYTE, MPI_BOR, MPI_COMM_WORLD);
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int size = 1;
  int rank = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int bytes = argc > 2 ? atoi(argv[2]) : 0;
  void* in = calloc((size_t)bytes + 1, 1);
  void* out = calloc((size_t)bytes * (size_t)size + 1, 1);
  const struct timespec late = {0, argc > 3 ? atoi(argv[3]) * 1000000L : 0};
  for (int i = 0; argc > 2 && i < kCalls; ++i) {
    if (argc > 3) MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1) nanosleep(&late, NULL);
    call(argv[1], in, out, bytes);
  }
  free(in);
  free(out);
  MPI_Finalize();
  return 0;
}
