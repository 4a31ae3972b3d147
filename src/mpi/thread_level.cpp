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
  flag_ = multiple_ ? open_mpi_flag() : nullptr;
  const bool always = program_level == MPI_THREAD_MULTIPLE;
  lock(always);  // an earlier use may have switched them off
  if (always) flag_ = nullptr;
}

bool ThreadLevel::can_relax() { return open_mpi_flag() != nullptr; }

bool ThreadLevel::is_locked() {
  const volatile bool* const flag = open_mpi_flag();
  return flag != nullptr && *flag;
}

}  // namespace stretto
