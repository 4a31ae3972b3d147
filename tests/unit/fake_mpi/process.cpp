// The beginning and the end of a rank, and what it is told of itself.

#include <algorithm>
#include <cstring>
#include <ctime>

#include "fake_mpi/entered.hpp"

namespace fake_mpi {
namespace {

int initialize(Entered& at, int level) {
  if (at.fails()) return at.planned();
  if (at.rank.initialized) at.misused("for the second time");
  at.rank.initialized = true;
  at.rank.level = level;
  at.rank.takes_locks = at.rank.takes_locks || level == MPI_THREAD_MULTIPLE;
  return MPI_SUCCESS;
}

}  // namespace
}  // namespace fake_mpi

using namespace fake_mpi;

FAKE_MPI(Init, (int* /*argc*/, char*** /*argv*/)) {
  Entered at(__func__);
  return initialize(at, MPI_THREAD_SINGLE);
}
FAKE_MPI(Init_thread, (int* /*argc*/, char*** /*argv*/, int required, int* provided)) {
  Entered at(__func__);
  *provided = std::min(required, at.job.options.thread_level);
  return initialize(at, *provided);
}
FAKE_MPI(Initialized, (int* flag)) {
  const Entered at(__func__);
  *flag = at.rank.initialized ? 1 : 0;
  return MPI_SUCCESS;
}
FAKE_MPI(Finalized, (int* flag)) {
  const Entered at(__func__);
  *flag = at.rank.finalized ? 1 : 0;
  return MPI_SUCCESS;
}
FAKE_MPI(Query_thread, (int* provided)) {
  Entered at(__func__);
  if (at.fails()) return at.refused();
  *provided = at.rank.level;
  return MPI_SUCCESS;
}
FAKE_MPI(Finalize, ()) {
  Entered at(__func__, MPI_COMM_WORLD);
  const CommPointer self = at.rank.comms.find(MPI_COMM_SELF);
  int error = delete_attributes(at, MPI_COMM_SELF, *self);
  if (error != MPI_SUCCESS) return at.raise(error);
  error = delete_attributes(at, MPI_COMM_WORLD, at.comm());
  meet(at, at.comm_pointer(), "Finalize", nullptr, [](Meeting& /*all*/) {});
  if (error == MPI_SUCCESS) error = at.planned();
  at.rank.finalized = error == MPI_SUCCESS;
  return at.result(error);
}
// The test goes on.
FAKE_MPI(Abort, (MPI_Comm comm, int errorcode)) {
  Entered at(__func__, comm);
  at.rank.reports.push_back({comm, MPI_ERRORS_ABORT, errorcode});
  return MPI_SUCCESS;
}
FAKE_MPI(Get_library_version, (char* version, int* length)) {
  const Entered at(__func__);
  std::strcpy(version, "MPICH Version: fake\nfor unit tests");
  *length = static_cast<int>(std::strlen(version));
  return MPI_SUCCESS;
}
// The two worlds of a job, whoever says what to whom.
FAKE_MPI(Comm_connect, (const char* /*port_name*/, MPI_Info /*info*/, int /*root*/,
                        MPI_Comm /*comm*/, MPI_Comm* newcomm)) {
  *newcomm = connect_worlds();
  return MPI_SUCCESS;
}
FAKE_MPI(Comm_accept, (const char* /*port_name*/, MPI_Info /*info*/, int /*root*/,
                       MPI_Comm /*comm*/, MPI_Comm* newcomm)) {
  *newcomm = connect_worlds();
  return MPI_SUCCESS;
}
FAKE_MPI(Session_finalize, (MPI_Session * session)) {
  *session = MPI_SESSION_NULL;
  return MPI_SUCCESS;
}

extern "C" double fake_Wtime() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}
extern "C" __attribute__((weak, alias("fake_Wtime"))) double MPI_Wtime();
static const Registered registered_wtime("PMPI_Wtime", reinterpret_cast<void*>(&fake_Wtime));
