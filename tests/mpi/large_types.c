/* A plain MPI program that reduces elements of no bytes, makes its types with large counts (MPI 4)
 * and leaves the error handler as it is: one wrong question about such a type ends the job.
 *
 * Prints "types ok" on rank 0. */
#include "check.h"

enum { N = 12 };

static void add_nothing(void* in, void* inout, int* count, MPI_Datatype* type) {
  (void)in, (void)inout, (void)count, (void)type;
}

static void empty_elements(void) {
  int in = 1;
  int out = 2;
  MPI_Datatype type;
  MPI_Op op;
  MPI_Request request;
  MPI_Type_contiguous(0, MPI_INT, &type);
  MPI_Type_commit(&type);
  MPI_Op_create(add_nothing, 1, &op);
  MPI_Reduce(&in, &out, 5, type, op, 0, MPI_COMM_WORLD);
  MPI_Scan(&in, &out, 5, type, op, MPI_COMM_WORLD);
  MPI_Iallreduce(&in, &out, 5, type, op, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  CHECK(out == 2);
  MPI_Op_free(&op);
  MPI_Type_free(&type);
}

#if MPI_VERSION >= 4
static void broadcast(MPI_Datatype type, int from, int every) {
  int data[N];
  for (int i = 0; i < N; ++i) data[i] = rank == 0 ? i : -1;
  MPI_Type_commit(&type);
  MPI_Request request;
  MPI_Ibcast(data, 1, type, 0, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  for (int i = 0; i < N; ++i) CHECK(data[i] == (rank == 0 || i % every == from ? i : -1));
  MPI_Type_free(&type);
}

static void types_of_large_counts(void) {
  MPI_Datatype type, inner;
  MPI_Type_contiguous_c(N, MPI_INT, &type);
  broadcast(type, 0, 1);
  MPI_Type_vector_c(N / 3, 1, 3, MPI_INT, &type);
  broadcast(type, 0, 3);
  const MPI_Count displacements[N / 3] = {1, 4, 7, 10};
  MPI_Type_create_indexed_block_c(N / 3, 1, displacements, MPI_INT, &type);
  broadcast(type, 1, 3);
  MPI_Type_vector_c(N / 3, 1, 3, MPI_INT, &inner); /* within others */
  MPI_Type_contiguous_c(1, inner, &type);
  MPI_Type_free(&inner);
  broadcast(type, 0, 3);
  MPI_Type_contiguous_c(N, MPI_INT, &inner);
  MPI_Type_dup(inner, &type);
  MPI_Type_free(&inner);
  broadcast(type, 0, 1);
}
#endif

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  empty_elements();
#if MPI_VERSION >= 4
  types_of_large_counts();
#endif
  if (rank == 0) printf("types ok\n");
  MPI_Finalize();
  return 0;
}
