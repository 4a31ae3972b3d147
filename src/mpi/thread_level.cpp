#include "mpi/thread_level.hpp"

#include <dlfcn.h>

#include "base/rank_context.hpp"
#include "mpi/native.hpp"

namespace stretto {
namespace {

volatile bool* open_mpi_flag() {
  return static_cast<volatile bool*>(native_data("opal_uses_threads"));
}

struct ProgramLevel {
  std::optional<int> level;
};

}  // namespace

std::optional<int> program_level() { return of_rank<ProgramLevel>().level; }
void set_program_level(int level) { of_rank<ProgramLevel>().level = level; }

void ThreadLevel::start(int program_level, Locks locks) {
  int provided = MPI_THREAD_SINGLE;
  native().Query_thread(&provided);
  multiple_ = provided == MPI_THREAD_MULTIPLE;
  flag_ = multiple_ ? open_mpi_flag() : nullptr;
  on_ = flag_ != nullptr && *flag_;
  const bool always = program_level == MPI_THREAD_MULTIPLE || locks == Locks::always;
  lock(always);  // an earlier use may have switched them off
  if (always) flag_ = nullptr;
}

void ThreadLevel::keep() {
  *flag_ = true;
  flag_ = nullptr;
}

bool ThreadLevel::can_relax() { return open_mpi_flag() != nullptr; }

bool ThreadLevel::is_locked() {
  const volatile bool* const flag = open_mpi_flag();
  return flag != nullptr && *flag;
}

}  // namespace stretto
