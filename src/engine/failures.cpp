#include "engine/failures.hpp"

namespace stretto {

void Failures::add(MPI_Comm comm, int error) {
  Failures* const current = this_thread.failures;
  if (current == nullptr || current->first_ != MPI_SUCCESS) return;
  current->comm_ = comm;
  current->first_ = error;
}

int Failures::tell(int error) const {
  native().Comm_call_errhandler(comm_, error);
  return error;
}

int Failures::told(int error, int count, MPI_Status* statuses) const {
  if (first_ == MPI_SUCCESS) return error;
  for (int i = 0; statuses != MPI_STATUSES_IGNORE && i < count; ++i) {
    if (statuses[i].MPI_SOURCE == kFailed) {
      statuses[i].MPI_SOURCE = MPI_ANY_SOURCE;
      statuses[i].MPI_ERROR = first_;
    } else if (error != MPI_ERR_IN_STATUS) {
      statuses[i].MPI_ERROR = MPI_SUCCESS;
    }
  }
  return tell(MPI_ERR_IN_STATUS);
}

}  // namespace stretto
