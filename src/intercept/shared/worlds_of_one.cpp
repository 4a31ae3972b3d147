#include "intercept/shared/worlds_of_one.hpp"

#include <cstdlib>
#include <string>
#include <string_view>

#include "base/log.hpp"
#include "mpi/native.hpp"

namespace stretto::intercept {
namespace {

// What a launcher sets for each of its ranks.
struct Variables {
  const char* launcher;
  const char* rank;
  const char* size;
};
constexpr const char* kSrun = "srun";
constexpr Variables kLaunchers[] = {
    {"mpiexec of MPICH or Intel MPI", "PMI_RANK", "PMI_SIZE"},
    {"mpirun of Open MPI", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
    {kSrun, "SLURM_PROCID", "SLURM_STEP_NUM_TASKS"},
};

struct Launched {
  const char* launcher = nullptr;
  long rank = 0;
  long size = 1;
};

// By the innermost: where one launcher starts others its variables are still there, so the one
// with the fewest ranks is meant.
Launched launched_by() noexcept {
  Launched found;
  for (const Variables& each : kLaunchers) {
    const char* const rank = std::getenv(each.rank);
    const char* const size = std::getenv(each.size);
    if (rank == nullptr || size == nullptr) continue;
    const Launched it{each.launcher, std::strtol(rank, nullptr, 10),
                      std::strtol(size, nullptr, 10)};
    if (found.launcher == nullptr || it.size < found.size) found = it;
  }
  return found;
}

// As the process began: Open MPI's MPI_Init sets its variables where no launcher has.
const Launched launched = launched_by();

}  // namespace

void say_if_worlds_of_one() {
  if (launched.size < 2 || launched.rank != 0 || native_world_size() != 1) return;
  const std::string version = native_version();
  const std::string mpi = version.substr(0, version.find(','));
  // It starts ranks of any MPI, but has to be asked for what they find each other by.
  const bool by_srun = std::string_view(launched.launcher) == kSrun;
  say("%ld ranks were started by %s, but each has a world of its own: the program runs on %s%s "
      "(%s), %s",
      launched.size, launched.launcher, by_srun ? "" : "another MPI, ", mpi.c_str(),
      native_soname().c_str(),
      by_srun ? "whose ranks srun connects with --launcher-args \"--mpi=pmi2\" or pmix (srun "
                "--mpi=list shows what it has)"
              : "whose launcher is to start it (--launcher)");
}

}  // namespace stretto::intercept
