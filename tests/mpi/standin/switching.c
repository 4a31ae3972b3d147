/* A tool whose MPI_Allreduce takes another time after some calls, as an MPI that changes its way
 * does: the first SWITCHING_AFTER calls take SWITCHING_US more. To be preloaded. */
#include <mpi.h>
#include <stdlib.h>
#include <unistd.h>

int MPI_Allreduce(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op,
                  MPI_Comm comm) {
  static int calls;
  if (calls++ < atoi(getenv("SWITCHING_AFTER"))) usleep((useconds_t)atoi(getenv("SWITCHING_US")));
  return PMPI_Allreduce(in, out, count, type, op, comm);
}
