// One collective of one size, ten times: which algorithm runs it is seen from outside. Arguments:
// its name (or several, with commas between them, that are called one after the other), bytes and,
// if rank 1 is to come late to each call, by how many milliseconds (0: it does not), and how many
// calls instead of ten. What comes is checked; in scatter and gather the ranks give MPI what it
// needs of each, and no more.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { kCalls = 10 };

// Of each rank a block of its own number.
static int is_right(const char* blocks, int first, int count, int bytes) {
  for (int i = 0; i < count * bytes; ++i) {
    if (blocks[i] != (char)(first + i / bytes + 1)) return 0;
  }
  return 1;
}

static int scatter(char* in, char* out, int bytes, int rank, int size) {
  for (int i = 0; i < size * bytes; ++i) out[i] = (char)(i / bytes + 1);
  memset(in, 0, (size_t)bytes);
  const int is_root = rank == 0;
  MPI_Scatter(is_root ? out : NULL, is_root ? bytes : 0, is_root ? MPI_BYTE : MPI_DATATYPE_NULL, in,
              bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
  return is_right(in, rank, 1, bytes);
}

static int gather(char* in, char* out, int bytes, int rank, int size) {
  memset(in, rank + 1, (size_t)bytes);
  memset(out, rank + 1, (size_t)bytes);
  if (rank != 0) {
    MPI_Gather(in, bytes, MPI_BYTE, NULL, 0, MPI_DATATYPE_NULL, 0, MPI_COMM_WORLD);
    return 1;
  }
  MPI_Gather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, out, bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
  return is_right(out, 0, size, bytes);
}

static int bcast(char* out, int bytes, int rank) {
  memset(out, rank == 0 ? 1 : 0, (size_t)bytes);
  MPI_Bcast(out, bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
  return is_right(out, 0, 1, bytes);
}

static int allgather(char* in, char* out, int bytes, int rank, int size) {
  memset(in, rank + 1, (size_t)bytes);
  MPI_Allgather(in, bytes, MPI_BYTE, out, bytes, MPI_BYTE, MPI_COMM_WORLD);
  return is_right(out, 0, size, bytes);
}

// A bit for each rank.
static int reduce(const char* name, char* in, char* out, int bytes, int rank, int size) {
  memset(in, 1 << rank % 8, (size_t)bytes);
  memset(out, 0, (size_t)bytes);
  const int is_to_all = strcmp(name, "allreduce") == 0;
  if (is_to_all) MPI_Allreduce(in, out, bytes, MPI_BYTE, MPI_BOR, MPI_COMM_WORLD);
  if (!is_to_all) MPI_Reduce(in, out, bytes, MPI_BYTE, MPI_BOR, 0, MPI_COMM_WORLD);
  const char all = (char)(size < 8 ? (1 << size) - 1 : 255);
  for (int i = 0; (is_to_all || rank == 0) && i < bytes; ++i) {
    if (out[i] != all) return 0;
  }
  return 1;
}

static int call(const char* name, void* in, void* out, int bytes, int rank, int size) {
  if (strcmp(name, "scatter") == 0) return scatter(in, out, bytes, rank, size);
  if (strcmp(name, "gather") == 0) return gather(in, out, bytes, rank, size);
  if (strcmp(name, "bcast") == 0) return bcast(out, bytes, rank);
  if (strcmp(name, "allgather") == 0) return allgather(in, out, bytes, rank, size);
  if (strcmp(name, "barrier") == 0) return MPI_Barrier(MPI_COMM_WORLD) == MPI_SUCCESS;
  const int reduces = strcmp(name, "reduce") == 0 || strcmp(name, "allreduce") == 0;
  return reduces && reduce(name, in, out, bytes, rank, size);
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
  const int late_ms = argc > 3 ? atoi(argv[3]) : 0;
  const struct timespec late = {0, late_ms * 1000000L};
  const int calls = argc > 4 ? atoi(argv[4]) : kCalls;
  char* rest = argc > 2 ? argv[1] : NULL;
  while (rest != NULL) {
    const char* name = rest;
    rest = strchr(rest, ',');
    if (rest != NULL) *rest++ = '\0';
    for (int i = 0; i < calls; ++i) {
      if (late_ms > 0) MPI_Barrier(MPI_COMM_WORLD);
      if (rank == 1 && late_ms > 0) nanosleep(&late, NULL);
      if (call(name, in, out, bytes, rank, size)) continue;
      fprintf(stderr, "%s is wrong on rank %d\n", name, rank);
      MPI_Abort(MPI_COMM_WORLD, 1);
    }
  }
  free(in);
  free(out);
  MPI_Finalize();
  return 0;
}
