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
  if (in_session()) *provided = program_level();
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

// What pending operations use is freed when they are done (MPI 4.1, 2.5.1).
int on_Type_free(STRETTO_REAL(Type_free) real, MPI_Datatype* datatype) {
  if (!Engine::get().free_type_later(*datatype)) return real(datatype);
  *datatype = native().datatype_null;
  return MPI_SUCCESS;
}

int on_Op_free(STRETTO_REAL(Op_free) real, MPI_Op* op) {
  if (!Engine::get().free_op_later(*op)) return real(op);
  *op = native().op_null;
  return MPI_SUCCESS;
}

// ROMIO calls collectives of the MPI's by the names a program does, with locks of its own
// held: switching the MPI's locking there would leave them locked.
int on_File_open(STRETTO_REAL(File_open) real, MPI_Comm comm, const char* filename, int amode,
                 MPI_Info info, MPI_File* fh) {
  Engine::get().keep_locks();
  return real(comm, filename, amode, info, fh);
}

void attach_new(MPI_Comm comm) {
  if (comm == native().comm_null) return;
  communicators::attach(comm);
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
