/* Collectives of every kind and many sizes, until somebody ends a rank.
 *
 * Usage: endless FILE
 *
 * Results are checked. Rank 0 makes FILE once all kinds have run on all ranks. Ends by itself,
 * with exit code 0, after a hundred seconds. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "check.h"

enum { KINDS = 9, LONGEST = 1 << 15 };

static void run(int kind, int nonblocking, int count, int root, int* in, int* out) {
  const MPI_Comm all = MPI_COMM_WORLD;
  const int block = count / size + 1;
  for (int i = 0; i < block * size; ++i) in[i] = 1;
  if (kind == 0) RUN(nonblocking, Barrier, barrier, all);
  if (kind == 1) RUN(nonblocking, Bcast, bcast, in, count, MPI_INT, root, all);
  if (kind == 2) RUN(nonblocking, Reduce, reduce, in, out, count, MPI_INT, MPI_SUM, root, all);
  if (kind == 3) RUN(nonblocking, Allreduce, allreduce, in, out, count, MPI_INT, MPI_SUM, all);
  if (kind == 4)
    RUN(nonblocking, Gather, gather, in, block, MPI_INT, out, block, MPI_INT, root, all);
  if (kind == 5)
    RUN(nonblocking, Scatter, scatter, in, block, MPI_INT, out, block, MPI_INT, root, all);
  if (kind == 6)
    RUN(nonblocking, Allgather, allgather, in, block, MPI_INT, out, block, MPI_INT, all);
  if (kind == 7) RUN(nonblocking, Alltoall, alltoall, in, block, MPI_INT, out, block, MPI_INT, all);
  if (kind == 8)
    RUN(nonblocking, Reduce_scatter_block, reduce_scatter_block, in, out, block, MPI_INT, MPI_SUM,
        all);
  if (kind == 3) CHECK(out[count - 1] == size);
  if (kind >= 5) CHECK(out[block - 1] == (kind == 8 ? size : 1));
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  CHECK(argc == 2);
  const size_t most = (size_t)LONGEST + 2 * (size_t)size;
  int *in = malloc(most * sizeof *in), *out = malloc(most * sizeof *out);
  const double start = MPI_Wtime();
  for (int go_on = 1, round = 0; go_on; ++round) {
    for (int kind = 0; kind < KINDS; ++kind) {
      run(kind, 0, round % 2 == 0 ? 2 : LONGEST, round % size, in, out);
      run(kind, 1, round % 2 == 0 ? LONGEST : 2, round % size, in, out);
    }
    if (round == 1 && rank == 0) fclose(fopen(argv[1], "w"));
    go_on = MPI_Wtime() - start < 100;
    MPI_Bcast(&go_on, 1, MPI_INT, 0, MPI_COMM_WORLD);
  }
  free(in), free(out);
  MPI_Finalize();
  return 0;
}
