#include "intercept/counters.hpp"

#include <cstdio>
#include <string>
#include <vector>

#include "base/config.hpp"
#include "base/log.hpp"

namespace stretto::intercept::counters {
namespace {

constexpr int kMostAlgorithms = 64;
using Row = std::array<std::atomic<long>, kMostAlgorithms>;
std::array<Row, kEntryPoints> handled;

std::size_t index_of(const Algorithm* algorithm) {
  const auto all = algorithms();
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i] == algorithm) return i;
  }
  return 0;
}

struct Line {
  const char* call;
  std::string what;  // algorithm or reason
  long calls;
};

std::vector<Line> handled_lines() {
  std::vector<Line> lines;
  const auto all = algorithms();
  for (std::size_t e = 0; e < kEntryPoints; ++e) {
    for (std::size_t a = 0; a < all.size(); ++a) {
      const long calls = handled[e][a];
      if (calls > 0) lines.push_back({kEntryPointNames[e], std::string(all[a]->name), calls});
    }
  }
  return lines;
}

std::vector<Line> passed_lines() {
  std::vector<Line> lines;
  for (std::size_t e = 0; e < kEntryPoints; ++e) {
    for (std::size_t r = 0; r < kReasons; ++r) {
      const long calls = passed[e][r];
      if (calls > 0) lines.push_back({kEntryPointNames[e], words(static_cast<Reason>(r)), calls});
    }
  }
  return lines;
}

std::string library_version() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  native().Get_library_version(text.data(), &length);
  const std::string all(text.data(), static_cast<std::size_t>(length));
  // One line of it, without what JSON would have to escape.
  std::string version = all.substr(0, all.find('\n'));
  std::erase_if(version, [](char c) { return c == '"' || c == '\\' || c < ' '; });
  return version;
}

const char* thread_level_name() {
  return Engine::get().has_progress_thread() ? "multiple" : "as requested";
}

void append(std::string& text, const std::vector<Line>& lines, const char* what) {
  for (std::size_t i = 0; i < lines.size(); ++i) {
    text.append(i == 0 ? "" : ",")
        .append(R"({"call":")")
        .append(lines[i].call)
        .append(R"(",")")
        .append(what)
        .append(R"(":")")
        .append(lines[i].what)
        .append(R"(","calls":)")
        .append(std::to_string(lines[i].calls))
        .append("}");
  }
}

std::string json(const Communicator& world) {
  const PlanCache::Counts plans = Engine::get().plans().counts();
  std::string text = R"({"rank":)" + std::to_string(world.rank);
  text.append(R"(,"size":)").append(std::to_string(world.size));
  text.append(R"(,"abi":")").append(STRETTO_ABI);
  text.append(R"(","mpi":")").append(library_version());
  text.append(R"(","thread_level":")").append(thread_level_name());
  text.append(R"(","hosts":)").append(std::to_string(world.topology.hosts()));
  text.append(R"(,"oversubscribed":)").append(world.topology.oversubscribed() ? "true" : "false");
  text.append(R"(,"handled":[)");
  append(text, handled_lines(), "algorithm");
  text.append(R"(],"passed":[)");
  append(text, passed_lines(), "reason");
  text.append(R"(],"schedules_built":)").append(std::to_string(plans.built));
  text.append(R"(,"schedules_reused":)").append(std::to_string(plans.reused));
  text.append(R"(,"progress_wakeups":)").append(std::to_string(Engine::get().progress_wakeups()));
  return text + "}\n";
}

void write_file(const std::string& folder, const Communicator& world) {
  const std::string path = folder + "/rank-" + std::to_string(world.rank) + ".json";
  std::FILE* file = std::fopen(path.c_str(), "w");
  const std::string text = json(world);
  const bool written =
      file != nullptr && std::fwrite(text.data(), 1, text.size(), file) == text.size();
  const bool closed = file != nullptr && std::fclose(file) == 0;
  if (!written || !closed) say("cannot write %s: the counts of this run are lost", path.c_str());
}

void print_summary(const Communicator& world) {
  const PlanCache::Counts plans = Engine::get().plans().counts();
  say("%s, %d ranks on %d hosts%s; calls of rank 0:", library_version().c_str(), world.size,
      world.topology.hosts(), world.topology.oversubscribed() ? ", more ranks than cores" : "");
  for (const Line& line : handled_lines()) {
    say("  %-25s %9ld  handled by %s", line.call, line.calls, line.what.c_str());
  }
  for (const Line& line : passed_lines()) {
    say("  %-25s %9ld  passed to the MPI: %s", line.call, line.calls, line.what.c_str());
  }
  say("  schedules: %ld built, %ld reused; progress thread: %ld wake-ups", plans.built,
      plans.reused, Engine::get().progress_wakeups());
}

}  // namespace

void count_handled(int entry_point, const Algorithm& algorithm) {
  handled[static_cast<std::size_t>(entry_point)][index_of(&algorithm)].fetch_add(
      1, std::memory_order_relaxed);
}

void write_report() {
  const Communicator* world = communicators::find(native().comm_world);
  if (world == nullptr) return;
  if (const auto folder = setting("STRETTO_RUN_COUNTERS")) write_file(*folder, *world);
  if (world->rank == 0 && switch_setting("STRETTO_VERBOSE").value_or(false)) {
    print_summary(*world);
  }
}

}  // namespace stretto::intercept::counters
