/* Errors that belong to no call of Stretto's, on communicators with no error handler of their own,
 * after collectives of all kinds. MPICH's follow MPI_COMM_WORLD's handler.
 *
 * Knows nothing of Stretto. Rank 0 prints a line an error: what the call returned. */
#include <mpi.h>
#include <stdio.h>

#include "check.h"

static void tell(const char* what, int error) {
  int class = MPI_SUCCESS;
  MPI_Error_class(error, &class);
  if (rank == 0) printf("%s: %d\n", what, class);
}

static void use(MPI_Comm comm) {
  int values[64] = {0}, all[64 * 8];
  MPI_Request requests[4];
  for (int i = 0; i < 4; ++i) {
    MPI_Iallgather(values + i, 1, MPI_INT, all + 8 * i, 1, MPI_INT, comm, &requests[i]);
  }
  MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
  MPI_Alltoall(values, 1, MPI_INT, all, 1, MPI_INT, comm);
}

int main(int argc, char** argv) {
  MPI_Comm made, inner;
  MPI_Group group;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_group(MPI_COMM_WORLD, &group);
  MPI_Comm_create(MPI_COMM_WORLD, group, &made);
  MPI_Comm_create(made, group, &inner);
  use(made);
  use(inner);
  tell("a send on a created communicator", MPI_Send(NULL, 0, MPI_INT, size + 7, 0, made));
  tell("on one created of that", MPI_Send(NULL, 0, MPI_INT, size + 7, 0, inner));
  tell("a datatype", MPI_Type_contiguous(-1, MPI_INT, &type));
  tell("a send to oneself", MPI_Send(NULL, 0, MPI_INT, 7, 0, MPI_COMM_SELF));
  MPI_Group_free(&group);
  MPI_Finalize();
  return 0;
}
