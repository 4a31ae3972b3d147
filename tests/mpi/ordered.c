// Reductions whose operation does not commute: the first of two operands, so that each result is
// rank 0's; of fewer elements than ranks, too. And a built-in one of as few.
#include <mpi.h>
#include <stdlib.h>

#include "check.h"

enum { kMost = 1000 };

static void take_first(void* in, void* inout, int* count, MPI_Datatype* type) {
  (void)type;
  for (int i = 0; i < *count; ++i) ((int*)inout)[i] = ((const int*)in)[i];
}

static void reduce_all_ways(int count, MPI_Op op) {
  const int wanted = op == MPI_SUM ? size * (size + 1) / 2 : 1;
  int* in = malloc(sizeof *in * (size_t)(count * size));
  int* out = calloc((size_t)count, sizeof *out);
  for (int i = 0; i < count * size; ++i) in[i] = rank + 1;
  MPI_Allreduce(in, out, count, MPI_INT, op, MPI_COMM_WORLD);
  for (int i = 0; i < count; ++i) CHECK(out[i] == wanted);
  for (int root = 0; root < size; ++root) {
    MPI_Reduce(in, out, count, MPI_INT, op, root, MPI_COMM_WORLD);
    for (int i = 0; rank == root && i < count; ++i) CHECK(out[i] == wanted);
  }
  MPI_Reduce_scatter_block(in, out, count, MPI_INT, op, MPI_COMM_WORLD);
  for (int i = 0; i < count; ++i) CHECK(out[i] == wanted);
  const int so_far = op == MPI_SUM ? (rank + 1) * (rank + 2) / 2 : 1;
  MPI_Scan(in, out, count, MPI_INT, op, MPI_COMM_WORLD);
  for (int i = 0; i < count; ++i) CHECK(out[i] == so_far);
  MPI_Exscan(in, out, count, MPI_INT, op, MPI_COMM_WORLD);
  const int before = op == MPI_SUM ? so_far - rank - 1 : 1;
  for (int i = 0; rank > 0 && i < count; ++i) CHECK(out[i] == before);
  free(in);
  free(out);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Op first = MPI_OP_NULL;
  MPI_Op_create(take_first, 0, &first);
  const int counts[] = {1, 3, kMost};
  for (size_t i = 0; i < sizeof counts / sizeof *counts; ++i) {
    reduce_all_ways(counts[i], first);
    reduce_all_ways(counts[i], MPI_SUM);
  }
  MPI_Op_free(&first);
  MPI_Finalize();
  return 0;
}
