#include "engine/failures.hpp"

namespace stretto {

void Failures::add(MPI_Comm comm, int error) {
  Failures* const current = this_thread.failures;
  if (current == nullptr || current->first_ != MPI_SUCCESS) return;
  current->comm_ = comm;
  current->first_ = error;
}

int Failures::report(int error) const {
  native().Comm_call_errhandler(comm_, error);
  return error;
}

int Failures::report_all(int error, const Completion& completion) const {
  if (completion.has_one_status()) return report(first_);
  const int set = completion.of == Completion::Of::some ? *completion.outcount : completion.count;
  MPI_Status* const statuses = completion.statuses;
  for (int i = 0; statuses != MPI_STATUSES_IGNORE && i < set; ++i) {
    if (statuses[i].MPI_SOURCE == kFailed) {
      statuses[i].MPI_SOURCE = MPI_ANY_SOURCE;
      statuses[i].MPI_ERROR = first_;
    } else if (error != MPI_ERR_IN_STATUS) {
      statuses[i].MPI_ERROR = MPI_SUCCESS;
    }
  }
  return report(MPI_ERR_IN_STATUS);
}

}  // namespace stretto
