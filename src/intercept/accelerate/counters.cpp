#include "intercept/accelerate/counters.hpp"

#include <span>
#include <string>
#include <vector>

#include "api/learning.hpp"
#include "base/config.hpp"
#include "base/file.hpp"
#include "base/json.hpp"
#include "base/log.hpp"
#include "base/words.hpp"

namespace stretto::intercept::accelerate::counters {
namespace {

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
      const long calls = of_rank<CallCounts>().handled[e][a];
      if (calls > 0) lines.push_back({kEntryPointNames[e], std::string(all[a]->name), calls});
    }
  }
  return lines;
}

std::vector<Line> passed_lines() {
  std::vector<Line> lines;
  for (std::size_t e = 0; e < kEntryPoints; ++e) {
    for (std::size_t r = 0; r < kReasons; ++r) {
      const long calls = of_rank<CallCounts>().passed[e][r];
      if (calls > 0) lines.push_back({kEntryPointNames[e], words(static_cast<Reason>(r)), calls});
    }
  }
  return lines;
}

// Asked of the MPI, as the progress thread that needs it has ended by now.
const char* thread_level_name() {
  int provided = MPI_THREAD_SINGLE;
  native().Query_thread(&provided);
  return provided == MPI_THREAD_MULTIPLE ? "multiple" : "as requested";
}

void append(Json& json, const char* name, const std::vector<Line>& lines, const char* what) {
  json.key(name).begin_array();
  for (const Line& line : lines) {
    json.begin_object()
        .field("call", line.call)
        .field(what, std::string_view(line.what))
        .field("calls", line.calls)
        .end_object();
  }
  json.end_array();
}

std::string text_of(const Communicator& world) {
  const PlanCache::Counts plans = Engine::get().plans().counts();
  std::string text;
  Json json(text);
  json.begin_object()
      .field("rank", world.rank)
      .field("size", world.size)
      .field("abi", STRETTO_ABI)
      .field("mpi", std::string_view(native_version()))
      .field("thread_level", thread_level_name())
      .field("hosts", world.around.hosts)
      .field("oversubscribed", Engine::get().oversubscribed());
  append(json, "handled", handled_lines(), "algorithm");
  append(json, "passed", passed_lines(), "reason");
  json.field("schedules_built", plans.built)
      .field("schedules_reused", plans.reused)
      .field("progress_wakeups", Engine::get().progress_wakeups())
      .end_object();
  return text + '\n';
}

void write(const std::string& folder, const Communicator& world) {
  const std::string path = folder + "/rank-" + std::to_string(world.rank) + ".json";
  const std::string text = text_of(world);
  if (write_file(path, std::as_bytes(std::span(text)))) return;
  say("cannot write %s: the counts of this run are lost", path.c_str());
}

void print_summary(const Communicator& world) {
  const PlanCache::Counts plans = Engine::get().plans().counts();
  say("%s, %d ranks on %d hosts%s; calls of rank 0:", native_version().c_str(), world.size,
      world.around.hosts, Engine::get().oversubscribed() ? ", more ranks than cores" : "");
  for (const Line& line : handled_lines()) {
    say("  %-25s %9ld  handled by %s", line.call, line.calls, line.what.c_str());
  }
  for (const Line& line : passed_lines()) {
    say("  %-25s %9ld  passed to the MPI: %s", line.call, line.calls, line.what.c_str());
  }
  for (const Learned& lesson : learning::learned()) say("  %s", in_words(lesson).c_str());
  const long rings = Engine::get().progress_rings();
  say("  schedules: %ld built, %ld reused; progress thread: %ld wake-ups%s", plans.built,
      plans.reused, Engine::get().progress_wakeups(),
      rings == 0 ? "" : words(", ", rings, " of them by ranks that waited").c_str());
}

// A call that an algorithm which was asked for cannot run has another, or is the MPI's: who asked
// would take its time for that of the algorithm.
void say_where_forced_do_not_apply() {
  const auto all = algorithms();
  for (int c = 0; c < kCollectives; ++c) {
    const Algorithm* const forced = overrides()[static_cast<std::size_t>(c)].algorithm;
    if (forced == nullptr) continue;
    long ran_others = 0;
    const Algorithm* other = nullptr;
    for (std::size_t a = 0; a < all.size(); ++a) {
      if (all[a] == forced || all[a]->collective != forced->collective) continue;
      for (std::size_t e = 0; e < kEntryPoints; ++e) {
        const long calls = of_rank<CallCounts>().handled[e][a];
        ran_others += calls;
        if (calls > 0) other = all[a];
      }
    }
    if (other == nullptr) continue;
    say("the algorithm %s, which was asked for, does not apply to %ld calls of %s, which ran %s",
        std::string(forced->name).c_str(), ran_others,
        std::string(name_of(forced->collective)).c_str(), std::string(other->name).c_str());
  }
  for (const Reason reason : {Reason::changes_rank_order, Reason::uneven_blocks}) {
    for (std::size_t e = 0; e < kEntryPoints; ++e) {
      const long calls = of_rank<CallCounts>().passed[e][static_cast<std::size_t>(reason)];
      if (calls == 0) continue;
      say("%ld calls of %s went to the MPI: %s", calls, kEntryPointNames[e], words(reason));
    }
  }
}

bool is_asked_for() {
  return setting("STRETTO_RUN_COUNTERS") || switch_setting("STRETTO_VERBOSE").value_or(false);
}

// Once a job, as it is so on all of its ranks.
void say_left_early() {
  int rank = 0;
  native().Comm_rank(native().comm_world, &rank);
  if (rank == 0 && is_asked_for()) {
    say("no report of any rank: Stretto had left MPI_COMM_WORLD, as stretto_finalize makes it");
  }
}

}  // namespace

void count_handled(int entry_point, const Algorithm& algorithm) {
  auto& counts = of_rank<CallCounts>();
  const auto of_call = static_cast<std::size_t>(entry_point);
  // Most often the same as before, and they are many.
  std::size_t place = counts.last_handled[of_call].load(std::memory_order_relaxed);
  if (algorithms()[place] != &algorithm) {
    place = index_of(&algorithm);
    counts.last_handled[of_call].store(place, std::memory_order_relaxed);
  }
  count_one(Engine::get(), counts.handled[of_call][place]);
}

void write_report() {
  const Communicator* world = communicators::find(native().comm_world);
  if (world == nullptr) return say_left_early();
  if (const auto folder = setting("STRETTO_RUN_COUNTERS")) write(*folder, *world);
  if (world->rank != 0) return;
  say_where_forced_do_not_apply();
  if (switch_setting("STRETTO_VERBOSE").value_or(false)) print_summary(*world);
}

void say_unwritten() {
  if (is_asked_for()) {
    say("no report of this rank: a function that MPI_Finalize called has failed");
  }
}

}  // namespace stretto::intercept::accelerate::counters
