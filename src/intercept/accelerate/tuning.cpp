#include "intercept/accelerate/tuning.hpp"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <climits>
#include <cstdlib>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/config.hpp"
#include "base/file.hpp"
#include "base/json.hpp"
#include "base/lines.hpp"
#include "base/log.hpp"
#include "bench/comparison.hpp"
#include "engine/communicator.hpp"
#include "intercept/accelerate/session.hpp"
#include "selection/tuned.hpp"

namespace stretto::intercept::accelerate {
namespace {

constexpr const char* kFolder = "STRETTO_TUNE_FOLDER";

struct Case {
  bench::Comparison contest{};
  std::vector<TunedRule> ways{};
};

// The MPI's functions, but for those that are measured: they are the program's entry points.
Native as_a_program_calls() {
  Native through = native();
  through.Barrier = &MPI_Barrier;
  through.Bcast = &MPI_Bcast;
  through.Reduce = &MPI_Reduce;
  through.Allreduce = &MPI_Allreduce;
  through.Gather = &MPI_Gather;
  through.Scatter = &MPI_Scatter;
  through.Allgather = &MPI_Allgather;
  through.Alltoall = &MPI_Alltoall;
  through.Scan = &MPI_Scan;
  through.Exscan = &MPI_Exscan;
  through.Reduce_scatter_block = &MPI_Reduce_scatter_block;
  return through;
}

std::string read_on_rank_0(const std::string& path, int rank) {
  std::string plan;
  if (rank == 0) plan = read_file(path).value_or("");
  auto length = static_cast<int>(plan.size());
  native().Bcast(&length, sizeof length, native().byte, 0, native().comm_world);
  plan.resize(static_cast<std::size_t>(length));
  native().Bcast(plan.data(), length, native().byte, 0, native().comm_world);
  return plan;
}

// `stretto tune` writes it, so that damage is a bug of ours.
std::vector<Case> cases_of(const std::string& plan, const Communicator& world) {
  std::vector<Case> cases;
  int rounds = 1;
  for (std::string_view lines = plan; !lines.empty();) {
    const std::string_view line = take_line(lines);
    WordReader words(line);
    const std::string_view what = words.word();
    std::string name;
    bool is_read = true;
    if (what == "rounds") {
      is_read = words.read(rounds);
    } else if (what == "pattern" && !cases.empty()) {
      auto& patterns = cases.back().contest.patterns;
      auto& pattern = patterns.emplace_back(static_cast<std::size_t>(world.size));
      for (double& late : pattern) is_read = is_read && words.read(late);
    } else if (what == "case") {
      Case& next = cases.emplace_back(Case{.contest = {.rounds = rounds}});
      is_read = words.read(name, next.contest.bytes);
      next.contest.collective = find_collective(name).value_or(Collective::barrier);
    } else if (what == "way" && !cases.empty()) {
      TunedRule way{.collective = cases.back().contest.collective,
                    .ranks = world.size,
                    .hosts = world.around.hosts,
                    .most_bytes = INT64_MAX};
      is_read = words.read(name, way.segment_bytes, way.radix);
      way.algorithm = find_algorithm(way.collective, name);
      cases.back().ways.push_back(way);
      cases.back().contest.ways = static_cast<int>(cases.back().ways.size());
    }
    if (!is_read) {
      refuse(1, "the plan of what to measure has a line '%s'", std::string(line).c_str());
    }
  }
  return cases;
}

void write(Json& json, const Case& each, const bench::ComparisonTimes& times) {
  json.begin_object()
      .field("collective", name_of(each.contest.collective))
      .field("bytes", each.contest.bytes)
      .key("times")
      .begin_array();
  for (const auto& pattern : times) {
    json.begin_array();
    for (const auto& way : pattern) {
      json.begin_array();
      for (const double time : way) json.value(time);
      json.end_array();
    }
    json.end_array();
  }
  json.end_array().end_object();
}

// How many ranks of the world its hosts have: the fewest and the most.
std::pair<int, int> ranks_of_hosts(const Communicator& world) {
  const HostNumbers& numbers = world.channel->hosts.numbers;
  std::vector<int> ranks(static_cast<std::size_t>(numbers.hosts));
  for (int rank = 0; rank < world.size; ++rank) ++ranks[numbers.host_of(rank)];
  const auto [least, most] = std::ranges::minmax(ranks);
  return {least, most};
}

}  // namespace

bool is_to_tune() { return setting(kFolder).has_value(); }

void tune() {
  const std::string folder = setting(kFolder).value_or("");
  if (!in_session()) refuse(5, "nothing was measured, as not all ranks run Stretto");
  Communicator* const world = communicators::find(native().comm_world);
  if (world == nullptr) refuse(1, "MPI_COMM_WORLD is not attached");
  const std::vector<Case> cases = cases_of(read_on_rank_0(folder + "/plan", world->rank), *world);
  const Native through = as_a_program_calls();
  const auto [least, most] = ranks_of_hosts(*world);
  std::string text;
  Json json(text);
  json.begin_object()
      .field("mpi", std::string_view(native_version()))
      .field("ranks", world->size)
      .field("hosts", world->around.hosts)
      .field("least_ranks_of_a_host", least)
      .field("most_ranks_of_a_host", most)
      .field("crowded", !world->around.has_cores)
      .key("cases")
      .begin_array();
  const auto by_root = world->by_root;
  for (const Case& each : cases) {
    const auto use = [&](int way) {
      const TunedRule& rule = each.ways[static_cast<std::size_t>(way)];
      tuned_rules() = TunedRules({rule});
      world->learned.reset();  // which calls are the MPI's by the rule before
      // Where roots say what comes it is that which is measured of its algorithm, and of no other.
      const auto collective = static_cast<std::size_t>(rule.collective);
      world->by_root[collective] =
          rule.algorithm == by_root[collective] ? by_root[collective] : nullptr;
    };
    write(json, each, bench::hold(each.contest, native().comm_world, through, use));
  }
  json.end_array().end_object();
  text += '\n';
  if (world->rank == 0 && !write_file(folder + "/times.json", std::as_bytes(std::span(text)))) {
    refuse(5, "cannot write %s/times.json", folder.c_str());
  }
  MPI_Finalize();
  // Not _exit(): MPICH tells its launcher that a rank has ended well in a function that exit()
  // calls, and the launcher kills the others of one that has not. Where ranks are threads of one
  // process the first of them ends it: two may not be in exit() at a time.
  static constinit std::atomic<bool> is_ending{false};
  while (is_ending.exchange(true)) ::pause();
  std::exit(0);
}

}  // namespace stretto::intercept::accelerate
