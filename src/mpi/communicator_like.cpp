#include "mpi/communicator_like.hpp"

#include "mpi/errors_returned.hpp"

namespace stretto {

MPI_Comm communicator_like(MPI_Comm of) {
  const ErrorsReturned errors_returned(of);
  MPI_Group group{};
  MPI_Comm comm{};
  if (native().Comm_group(of, &group) != MPI_SUCCESS) return native().comm_null;
  // Not MPI_Comm_dup: that would run the program's attribute copy callbacks.
  const int error = native().Comm_create(of, group, &comm);
  native().Group_free(&group);
  // MPICH returns success to who has an error handler that comes back.
  if (error != MPI_SUCCESS || comm == MPI_Comm{}) comm = native().comm_null;
  if (comm != native().comm_null) native().Comm_set_errhandler(comm, native().errors_return);
  return comm;
}

}  // namespace stretto
