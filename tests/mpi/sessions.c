/* A program that never calls MPI_Init: everything comes from sessions, two of them in turn;
 * with an argument, from a session beside MPI_Init.
 *
 * Knows nothing of Stretto. Prints "sessions ok" on rank 0; where the MPI has no sessions
 * (before MPI 4.0) "sessions: none". */
#include <mpi.h>
#include <stdio.h>

#include "check.h"

#if MPI_VERSION >= 4
static void use(MPI_Comm comm) {
  int mine, sum = 0, value;
  MPI_Request request;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  mine = rank + 1;
  MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, comm);
  if (sum != size * (size + 1) / 2) MPI_Abort(comm, 1);
  value = rank == 0 ? 42 : 0;
  MPI_Ibcast(&value, 1, MPI_INT, 0, comm, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  if (value != 42) MPI_Abort(comm, 2);
  MPI_Barrier(comm);
}

static void whole_session(const char* tag) {
  MPI_Session session;
  MPI_Group group;
  MPI_Comm comm, copy;
  if (MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session) != MPI_SUCCESS) return;
  MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
  MPI_Comm_create_from_group(group, tag, MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm);
  use(comm);
  MPI_Comm_dup(comm, &copy);
  use(copy);
  MPI_Comm_free(&copy);
  MPI_Comm_free(&comm);
  MPI_Group_free(&group);
  MPI_Session_finalize(&session);
}
#endif

int main(int argc, char** argv) {
#if MPI_VERSION >= 4
  if (argc == 1) {
    whole_session("first");
    whole_session("second");
  } else {
    MPI_Init(&argc, &argv);
    use(MPI_COMM_WORLD);
    whole_session("beside");
    use(MPI_COMM_WORLD);
    MPI_Finalize();
  }
  if (rank == 0) printf("sessions ok\n");
#else
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (rank == 0) printf("sessions: none on %d ranks\n", size);
  MPI_Finalize();
#endif
  return 0;
}
