#include "intercept/shared/this_rank.hpp"

#include <dlfcn.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/config.hpp"
#include "intercept/shared/entry.hpp"

namespace stretto::intercept {
namespace {

std::atomic<pid_t> rank_process{0};  // all ranks of a process set it

// Of one rank of one launch: another process that had it would speak for the rank.
constexpr const char* kLifeline = "STRETTO_RUN_LIFELINE";

// The number of this rank, by Hydra (MPICH, Intel MPI), Open MPI, PMIx, Slurm, Flux, PALS.
const char* rank_from_launcher() noexcept {
  for (const char* name : {"PMI_RANK", "OMPI_COMM_WORLD_RANK", "PMIX_RANK", "SLURM_PROCID",
                           "FLUX_TASK_RANK", "PALS_RANKID"}) {
    if (const char* rank = std::getenv(name)) return rank;
  }
  return nullptr;
}

// As the process began: Open MPI's MPI_Init sets its variable where no launcher has.
const bool is_launched = rank_from_launcher() != nullptr;

// A child of a rank may have been given the rank's first environment (Python's os.environ is a
// copy made at the start), less what its launcher put in: it is an MPI program of its own.
bool is_on_its_own() {
  if (is_launched || !native_available()) return false;
  int size = 0;
  native().Comm_size(native().comm_world, &size);
  return size == 1;
}

// Ranks of MPI_Comm_spawn are numbered from 0 again.
bool has_a_number_of_its_own() {
  MPI_Comm parent{};
  if (!native_available()) return true;
  native().Comm_get_parent(&parent);
  return parent == native().comm_null && !is_on_its_own();
}

void keep_or_leave(const char* name, bool keep) {
  if (keep) {
    take_from_environment(name);
  } else {
    ::unsetenv(name);
  }
}

bool is_this_library(const std::string& file) {
  Dl_info ours{};
  struct stat a{};
  struct stat b{};
  if (dladdr(reinterpret_cast<void*>(&is_this_library), &ours) == 0) return false;
  if (file == ours.dli_fname) return true;
  return ::stat(file.c_str(), &a) == 0 && ::stat(ours.dli_fname, &b) == 0 && a.st_dev == b.st_dev &&
         a.st_ino == b.st_ino;
}

// Others' libraries stay, in their order.
void leave_preloads() {
  const char* const preloads = std::getenv("LD_PRELOAD");
  if (preloads == nullptr) return;
  std::string others;
  for (std::string_view rest = preloads; !rest.empty();) {
    const std::size_t end = rest.find_first_of(": ");
    const std::string each(rest.substr(0, end));
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    if (each.empty() || is_this_library(each)) continue;
    others += (others.empty() ? "" : ":") + each;
  }
  if (others.empty()) {
    ::unsetenv("LD_PRELOAD");
  } else if (others != preloads) {
    ::setenv("LD_PRELOAD", others.c_str(), 1);
  }
}

}  // namespace

bool speaks_for_all() {
  const char* const rank = rank_from_launcher();
  return rank == nullptr || std::strtol(rank, nullptr, 10) == 0;
}

void become_rank(std::span<const char* const> settings) {
  rank_process = ::getpid();
  keep_or_leave(kLifeline, !is_on_its_own());
  const bool keeps = has_a_number_of_its_own();
  for (const char* name : settings) keep_or_leave(name, keeps);
  leave_preloads();
  ::pthread_atfork(nullptr, nullptr,
                   [] { detail::active().store(false, std::memory_order_release); });
}

bool is_rank_process() { return ::getpid() == rank_process; }

}  // namespace stretto::intercept
