// Ranks of a job may be on several hosts: in a test's program this is gethostname.

#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <string>

#include "base/rank_context.hpp"
#include "fake_mpi/state.hpp"

extern "C" int gethostname(char* name, std::size_t size) noexcept {
  utsname machine{};
  ::uname(&machine);
  std::string text = machine.nodename;
  const fake_mpi::Rank* const rank = stretto::of_rank<fake_mpi::Here>().rank;
  if (rank != nullptr && rank->job.options.ranks_per_host > 0) {
    text = "host-" + std::to_string(rank->number / rank->job.options.ranks_per_host);
  }
  std::memset(name, 0, size);
  text.copy(name, size - 1);
  return 0;
}
