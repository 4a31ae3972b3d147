/* A tool whose MPI_Allreduce gives one wrong byte: of rank 1, in its 25th call, the last byte but
 * one. To be preloaded. */
#include <mpi.h>
#include <stddef.h>

int MPI_Allreduce(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op,
                  MPI_Comm comm) {
  static int calls;
  int rank;
  int size;
  const int error = PMPI_Allreduce(in, out, count, type, op, comm);
  PMPI_Comm_rank(comm, &rank);
  PMPI_Type_size(type, &size);
  if (rank == 1 && ++calls == 25) ((unsigned char*)out)[(ptrdiff_t)count * size - 2] ^= 1;
  return error;
}
