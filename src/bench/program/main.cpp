// stretto-bench-<abi>: one launch of a benchmark, as every rank of it. It links no MPI and loads
// the one it is given, so that whoever is preloaded has its calls as those of any program.
#include <dlfcn.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/file.hpp"
#include "base/json.hpp"
#include "base/log.hpp"
#include "bench/suite/call_of.hpp"
#include "bench/suite/measure_cell.hpp"
#include "bench/suite/memory_check.hpp"
#include "bench/suite/reached.hpp"
#include "mpi/world.hpp"
#include "topology/levels.hpp"

namespace stretto::bench {
namespace {

BenchPlan plan_in(const std::string& path) {
  const auto text = read_file(path);
  if (!text) refuse(5, "cannot read %s", path.c_str());
  try {
    return read_plan(*text);
  } catch (const BadPlan& bad) {
    refuse(2, "%s: %s is nothing a plan has", path.c_str(), bad.what());
  }
}

// What ends a cell that takes too long, from within whatever call hangs: for a signal handler.
int progress_file = -1;
long cell_under_way = 0;

extern "C" void end_for_time(int /*signal*/) {
  // Nothing here may take a lock or memory.
  char line[32] = "timeout ";
  char* end = line + 8;
  char digits[20];
  int count = 0;
  long number = cell_under_way;
  do {
    digits[count++] = static_cast<char>('0' + number % 10);
    number /= 10;
  } while (number > 0);
  while (count > 0) *end++ = digits[--count];
  *end++ = '\n';
  static_cast<void>(!write(progress_file, line, static_cast<std::size_t>(end - line)));
  _exit(124);
}

// What rank 0 says while the launch runs: which cell begins, and how the one before ended.
class ProgressFile {
 public:
  ProgressFile(const std::string& path, bool is_mine, int timeout_s)
      : path_(path), file_(is_mine ? std::fopen(path.c_str(), "w") : nullptr) {
    if (!is_mine) return;
    if (file_ == nullptr) refuse(5, "cannot write %s: %s", path.c_str(), std::strerror(errno));
    progress_file = fileno(file_);
    timeout_s_ = static_cast<unsigned>(timeout_s);
    if (timeout_s > 0) static_cast<void>(signal(SIGALRM, end_for_time));
  }
  ~ProgressFile() {
    if (file_ != nullptr) static_cast<void>(std::fclose(file_));
  }
  ProgressFile(const ProgressFile&) = delete;
  ProgressFile& operator=(const ProgressFile&) = delete;

  void begin(const BenchCell& cell) {
    cell_under_way = cell.number;
    say("begin", cell, "");
    if (file_ != nullptr) alarm(timeout_s_);
  }
  // The time of what is under way begins anew.
  void go_on() const {
    if (file_ != nullptr) alarm(timeout_s_);
  }
  void end(const char* state, const BenchCell& cell, const std::string& why) {
    if (file_ != nullptr) alarm(0);
    say(state, cell, why);
  }

 private:
  void say(const char* state, const BenchCell& cell, const std::string& why) {
    if (file_ == nullptr) return;
    std::fprintf(file_, "%s %lld %s\n", state, static_cast<long long>(cell.number), why.c_str());
    if (std::fflush(file_) != 0) {
      refuse(5, "cannot write %s: %s", path_.c_str(), std::strerror(errno));
    }
  }

  std::string path_;
  std::FILE* file_;
  unsigned timeout_s_ = 0;
};

const char* name_of(Scheme scheme) {
  switch (scheme) {
    case Scheme::automatic:
      return "auto";
    case Scheme::none:
      return "none";
    case Scheme::barrier:
      return "barrier";
    case Scheme::double_barrier:
      return "double-barrier";
    case Scheme::dissemination:
      return "dissemination";
    case Scheme::window:
      return "window";
    case Scheme::round_time:
      return "round-time";
  }
  return "";
}

// All ranks are here. Those that took no part leave the cores to those that do.
void meet(bool politely) {
  if (!politely) {
    native().Barrier(native().comm_world);
    return;
  }
  using Ibarrier = int (*)(MPI_Comm, MPI_Request*);
  MPI_Request request{};
  reinterpret_cast<Ibarrier>(native_symbol("PMPI_Ibarrier"))(native().comm_world, &request);
  for (int done = 0;;) {
    native().Test(&request, &done, MPI_STATUS_IGNORE);
    if (done != 0) return;
    sleep_ns(100'000);
  }
}

void describe(const std::string& path, int ranks, const Topology& topology,
              const CommonClock& clocks, bool crowded, std::int64_t init_ns) {
  std::string text;
  Json json(text);
  json.begin_object()
      .field("mpi", std::string_view(native_version()))
      .field("ranks", ranks)
      .field("hosts", topology.hosts())
      .field("crowded", crowded)
      .field("clock", name_of(clocks.kind()))
      .field("clock_residual_ns", clocks.residual_ns())
      .field("clock_uncertainty_ns", clocks.uncertainty_ns())
      .field("clock_readings", clocks.readings())
      .field("init_ns", init_ns);
  json.key("host_of_rank").begin_array();
  for (int rank = 0; rank < ranks; ++rank) json.value(topology.host_of(rank));
  json.end_array().end_object();
  text += '\n';
  // What was there stays whole whatever becomes of what is written: rows are read by it.
  const std::string partial = path + ".partial";
  if (!write_file(partial, std::as_bytes(std::span(text))) ||
      std::rename(partial.c_str(), path.c_str()) != 0) {
    refuse(5, "cannot write %s: %s", path.c_str(), std::strerror(errno));
  }
}

void measure(const BenchPlan& plan, const std::string& folder, std::int64_t init_ns) {
  int rank = 0;
  int size = 1;
  native().Comm_rank(native().comm_world, &rank);
  native().Comm_size(native().comm_world, &size);
  const Topology topology(of_all_ranks(Affinity::here_with_complex(), size, native().comm_world));
  const bool crowded = topology.oversubscribed();
  MPI_Comm own{};
  native().Comm_split(native().comm_world, 0, rank, &own);
  CommonClock clocks(own, crowded);
  const Work work;
  RowFile file(folder + "/rank-" + std::to_string(rank) + ".rows");
  const std::string facts = folder + "/launch.json";
  if (rank == 0) describe(facts, size, topology, clocks, crowded, init_ns);
  ProgressFile progress(folder + "/progress", rank == 0, plan.settings.cell_timeout_s);
  CellGroups groups(topology);
  const MemoryCheck memory(own, topology);
  const Bench bench{.settings = plan.settings,
                    .clocks = clocks,
                    .work = work,
                    .crowded = crowded,
                    .file = file,
                    .alive = [&progress] { progress.go_on(); }};
  for (const BenchCell& cell : plan.cells) {
    progress.begin(cell);
    const MeasuredOperation* const operation = operation_named(cell.operation);
    if (operation == nullptr || !is_group_name(cell.comm)) {
      progress.end("skipped", cell, why_not(cell, {}));
      continue;
    }
    clocks.read_again();
    CellGroup group = groups.named(cell.comm, operation->neighbors, cell.fresh);
    std::string why = group.is_in ? why_not(cell, group.place) : "";
    // What one half cannot do is not measured in the other, either: it would look as if both did.
    if (why.empty() && cell.comm == "halves") why = why_not(cell, {.size = std::max(size / 2, 1)});
    const bool allocates = group.is_in && why.empty();
    const std::string lacks =
        memory.shortage_of(allocates ? memory_of(cell, group, plan.settings.buffers) : 0);
    if (why.empty()) why = lacks;
    CellResult result;
    if (group.is_in && why.empty()) result = measure_cell(cell, group, bench);
    meet(!group.is_everyone);
    // Of several groups rank 0 is in one only.
    const auto wrong = static_cast<double>(result.wrong);
    double most_wrong = 0;
    native().Allreduce(&wrong, &most_wrong, 1, native().real, native().op_max, own);
    if (cell.fresh) CellGroups::let_go(group);
    if (!why.empty()) {
      progress.end("skipped", cell, why);
    } else if (most_wrong > 0) {
      progress.end("wrong", cell, std::to_string(static_cast<long long>(most_wrong)));
    } else {
      progress.end("done", cell, name_of(result.scheme));
    }
  }
  // Again: by now there is more to say of the clocks.
  if (rank == 0) describe(facts, size, topology, clocks, crowded, init_ns);
  native().Comm_free(&own);
}

int run(const std::string& library, const std::string& plan_file, const std::string& folder) {
  const BenchPlan plan = plan_in(plan_file);
  if (dlopen(library.c_str(), RTLD_NOW | RTLD_GLOBAL) == nullptr) refuse(5, "%s", dlerror());
  using Init = int (*)(int*, char***);
  const auto init = reached_as<Init>("Init");
  if (init == nullptr || !native_available()) {
    refuse(5, "%s is no MPI of this variant (%s)", library.c_str(), STRETTO_ABI);
  }
  const std::int64_t begin = now_ns();
  if (init(nullptr, nullptr) != MPI_SUCCESS) refuse(5, "MPI_Init failed");
  measure(plan, folder, now_ns() - begin);
  return reached_as<int (*)()>("Finalize")();
}

}  // namespace
}  // namespace stretto::bench

int main(int argc, char** argv) {
  if (argc != 4) {
    stretto::refuse(2, "stretto-bench LIBRARY PLAN FOLDER: it is started by stretto bench");
  }
  return stretto::bench::run(argv[1], argv[2], argv[3]);
}
