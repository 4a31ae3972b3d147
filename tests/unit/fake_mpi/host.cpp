// What a launcher and the system tell of where ranks are.

#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string>

#include "base/rank_context.hpp"
#include "fake_mpi/state.hpp"

// Before Stretto looks: a program of one rank that nobody has launched is taken for a rank's child.
[[gnu::constructor(101)]] static void be_launched() { ::setenv("PMI_RANK", "0", 1); }

// Ranks of a job may be on several hosts.
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
