// MPI_Init, MPI_Finalize and communicators that come and go.

#include <algorithm>

#include "intercept/hooks.hpp"

namespace stretto::intercept {

int on_Init(STRETTO_REAL(Init) real, int* argc, char*** argv) {
  const int level = level_to_request(MPI_THREAD_SINGLE);
  int error = MPI_SUCCESS;
  {
    const Inside inside;
    if (level == MPI_THREAD_SINGLE) {
      error = real(argc, argv);
    } else {
      int provided = MPI_THREAD_SINGLE;
      const auto init_thread = real_function<STRETTO_REAL(Init_thread)>("PMPI_Init_thread");
      error = init_thread(argc, argv, level, &provided);
    }
  }
  if (error == MPI_SUCCESS) begin_session(MPI_THREAD_SINGLE);
  return error;
}

int on_Init_thread(STRETTO_REAL(Init_thread) real, int* argc, char*** argv, int required,
                   int* provided) {
  const int level = std::max(level_to_request(required), required);
  int error = MPI_SUCCESS;
  {
    const Inside inside;
    error = real(argc, argv, level, provided);
  }
  if (error != MPI_SUCCESS) return error;
  begin_session(required);
  if (is_active()) *provided = program_level();
  return error;
}

int on_Query_thread(STRETTO_REAL(Query_thread) /*real*/, int* provided) {
  *provided = program_level();
  return MPI_SUCCESS;
}

int on_Finalize(STRETTO_REAL(Finalize) real) {
  end_session();
  return real();
}

void attach_new(MPI_Comm comm) {
  if (comm == native().comm_null) return;
  int is_inter = 0;
  native().Comm_test_inter(comm, &is_inter);
  if (is_inter == 0) communicators::attach(comm);
}

int on_Comm_free(STRETTO_REAL(Comm_free) real, MPI_Comm* comm) {
  const int error = real(comm);
  communicators::reap();
  return error;
}

int on_Comm_disconnect(STRETTO_REAL(Comm_disconnect) real, MPI_Comm* comm) {
  const int error = real(comm);
  communicators::reap();
  return error;
}

}  // namespace stretto::intercept
