#include "mpi/thread_level.hpp"

#include <dlfcn.h>

#include "mpi/native.hpp"

namespace stretto {
namespace {

volatile bool* open_mpi_flag() {
  return static_cast<volatile bool*>(native_data("opal_uses_threads"));
}

}  // namespace

void ThreadLevel::start(int program_level) {
  int provided = MPI_THREAD_SINGLE;
  native().Query_thread(&provided);
  multiple_ = provided == MPI_THREAD_MULTIPLE;
  // A program of several threads in MPI needs the locks at all times.
  flag_ = multiple_ && program_level < MPI_THREAD_MULTIPLE ? open_mpi_flag() : nullptr;
  lock(false);
}

bool ThreadLevel::can_relax() { return open_mpi_flag() != nullptr; }

}  // namespace stretto
