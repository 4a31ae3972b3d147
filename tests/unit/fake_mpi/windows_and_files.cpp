// Windows and files that hold nothing.

#include "fake_mpi/entered.hpp"

using namespace fake_mpi;

namespace {

int made = 0;  // so that each has a handle of its own

}  // namespace

FAKE_MPI(Win_create, (void* /*base*/, MPI_Aint /*size*/, int /*unit*/, MPI_Info /*info*/,
                      MPI_Comm comm, MPI_Win* win)) {
  Entered at(__func__, comm);
  if (at.fails()) return at.refused();
  *win = 0x60000000 + ++made;
  return MPI_SUCCESS;
}
FAKE_MPI(Win_fence, (int /*assertion*/, MPI_Win /*win*/)) {
  const Entered at(__func__);
  return MPI_SUCCESS;
}
FAKE_MPI(Put, (const void* /*origin*/, int /*count*/, MPI_Datatype /*type*/, int /*target*/,
               MPI_Aint /*displacement*/, int /*target_count*/, MPI_Datatype /*target_type*/,
               MPI_Win /*win*/)) {
  const Entered at(__func__);
  return MPI_SUCCESS;
}
FAKE_MPI(Win_free, (MPI_Win * win)) {
  const Entered at(__func__);
  *win = MPI_WIN_NULL;
  return MPI_SUCCESS;
}

FAKE_MPI(File_open, (MPI_Comm comm, const char* /*filename*/, int /*amode*/, MPI_Info /*info*/,
                     MPI_File* fh)) {
  Entered at(__func__, comm);
  *fh = reinterpret_cast<MPI_File>(static_cast<std::intptr_t>(0x1000 + ++made));
  return at.fails() ? at.refused() : MPI_SUCCESS;
}
FAKE_MPI(File_write, (MPI_File /*fh*/, const void* /*data*/, int /*count*/, MPI_Datatype /*type*/,
                      MPI_Status* /*status*/)) {
  const Entered at(__func__);
  return MPI_SUCCESS;
}
FAKE_MPI(File_close, (MPI_File * fh)) {
  const Entered at(__func__);
  *fh = MPI_FILE_NULL;
  return MPI_SUCCESS;
}
