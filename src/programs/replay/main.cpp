// stretto-replay: runs a trace of `stretto whatif --record` again; `stretto replay` is its face.
#include <getopt.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iostream>
#include <optional>

#include "base/file.hpp"
#include "base/json.hpp"
#include "base/number.hpp"
#include "model/collective_times.hpp"
#include "model/rank_report.hpp"
#include "programs/bad_input.hpp"
#include "programs/replay/sections.hpp"
#include "replay/goal.hpp"
#include "replay/scaling.hpp"

namespace stretto::programs {
namespace {

constexpr int kUnsuited = 3;  // a trace that cannot be scaled

constexpr const char* kHelp = R"(stretto-replay TRACE --scenarios FILE [--scale N [--strong]]
stretto-replay TRACE --scenarios FILE --export-goal SCHEDULE [--scale N [--strong]]
stretto-replay --goal SCHEDULE --scenarios FILE
stretto-replay TRACE --scenarios FILE --sections
stretto-replay TRACE --about

Runs a trace again in the simulator alone: JSON lines, one that describes the run, then one for
each rank. --export-goal writes it as a GOAL schedule on the first scenario's machine, too; --goal
runs such a schedule: one JSON line. --sections prints where time goes in the first scenario, call by call and
between calls: one JSON line. --about prints what the trace says of itself. Exit code: 0, 2 for bad
input, 3 where the trace cannot be scaled.

Example: stretto-replay ft.trace --scenarios scenarios.txt --scale 4
)";

struct Wanted {
  std::string trace{};
  std::string scenarios{};
  std::string export_goal{};
  bool about = false;
  bool is_goal = false;
  bool sections = false;
  std::optional<replay::Scaling> scaling{};
};

int factor_of(const std::string& text) {
  const auto factor = number_in<int>(text);
  if (!factor || *factor < 1) {
    throw BadInput("--scale must be a whole number of 1 or more, not '" + text + "'");
  }
  return *factor;
}

// Nothing where help was asked for.
std::optional<Wanted> read_arguments(int argc, char** argv) {
  static constexpr option kOptions[] = {{"about", no_argument, nullptr, 'a'},
                                        {"scenarios", required_argument, nullptr, 's'},
                                        {"scale", required_argument, nullptr, 'f'},
                                        {"strong", no_argument, nullptr, 'g'},
                                        {"goal", no_argument, nullptr, 'l'},
                                        {"export-goal", required_argument, nullptr, 'e'},
                                        {"sections", no_argument, nullptr, 'c'},
                                        {"help", no_argument, nullptr, 'h'},
                                        {nullptr, 0, nullptr, 0}};
  Wanted wanted;
  bool strong = false;
  for (int found = 0; (found = getopt_long(argc, argv, "h", kOptions, nullptr)) != -1;) {
    switch (found) {
      case 'a':
        wanted.about = true;
        break;
      case 's':
        wanted.scenarios = optarg;
        break;
      case 'f':
        wanted.scaling = {.factor = factor_of(optarg)};
        break;
      case 'g':
        strong = true;
        break;
      case 'l':
        wanted.is_goal = true;
        break;
      case 'c':
        wanted.sections = true;
        break;
      case 'e':
        wanted.export_goal = optarg;
        break;
      case 'h':
        return {};
      default:
        throw BadInput("see --help");
    }
  }
  if (optind + 1 != argc) throw BadInput("name one trace");
  wanted.trace = argv[optind];
  if (!wanted.about && wanted.scenarios.empty()) throw BadInput("--scenarios is missing");
  if (wanted.is_goal && (wanted.about || wanted.scaling || !wanted.export_goal.empty())) {
    throw BadInput("--goal goes with --scenarios alone");
  }
  if (wanted.sections && (wanted.is_goal || wanted.scaling || !wanted.export_goal.empty())) {
    throw BadInput("--sections goes with --scenarios alone");
  }
  if (strong && !wanted.scaling) throw BadInput("--strong goes with --scale");
  if (wanted.scaling) wanted.scaling->strong = strong;
  return wanted;
}

std::ifstream open(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw BadInput(path + ": cannot be read");
  return file;
}

std::vector<model::Scenario> scenarios_of(const std::string& path) {
  const auto text = read_file(path);
  if (!text) throw BadInput(path + ": cannot be read");
  auto scenarios = model::read_scenarios(*text);
  for (model::Scenario& scenario : scenarios) model::correct_by_measurements(scenario);
  return scenarios;
}

void write_dims(Json& json, std::string_view key, const replay::Grid& grid) {
  json.key(key).begin_array();
  for (const int dim : grid.dims) json.value(dim);
  json.end_array();
}

void write_run(const std::optional<replay::Scaled>& scaled) {
  std::string text;
  Json json(text);
  json.begin_object().key("scaling");
  if (scaled) {
    const replay::Pattern& pattern = scaled->pattern;
    json.begin_object();
    write_dims(json, "recorded_grid", pattern.grid);
    write_dims(json, "grid", scaled->grid);
    json.field("periodic", pattern.grid.is_periodic)
        .field("uses_grid", pattern.uses_grid)
        .field("alike", pattern.alike)
        .field("computing_spread", pattern.computing)
        .field("bytes_spread", pattern.bytes)
        .end_object();
  } else {
    json.null();
  }
  json.end_object();
  std::cout << text << '\n';
}

// Of the communicators that collectives begin on there.
std::vector<int> ranks_at_call_sites(const replay::Part& part) {
  std::vector<int> ranks(part.trace->call_sites.size());
  for (const trace::Op& op : part.ops) {
    if (op.kind != trace::OpKind::begin) continue;
    const replay::PartComm& comm = part.comms[static_cast<std::size_t>(op.comm)];
    ranks[static_cast<std::size_t>(op.call_site)] = static_cast<int>(comm.members->size());
  }
  return ranks;
}

std::vector<std::pair<model::CallSite, model::CallSiteTimes>> call_sites_of(
    const replay::Part& part, const std::vector<model::CallSiteTimes>& times) {
  const auto ranks = ranks_at_call_sites(part);
  std::vector<std::pair<model::CallSite, model::CallSiteTimes>> call_sites;
  for (std::size_t i = 0; i < times.size(); ++i) {
    call_sites.emplace_back(part.trace->call_sites[i], times[i]);
    call_sites.back().first.ranks = ranks[i];
  }
  return call_sites;
}

void write_rank(int number, const replay::Part& part, const replay::Replayed& rank, int ranks,
                const std::vector<model::Scenario>& scenarios) {
  const trace::Ending& recorded = part.trace->ending;
  std::string text;
  Json json(text);
  json.begin_object().field("rank", number).field("size", ranks).field("mpi", "");
  json.field("host", std::string_view("host " + std::to_string(part.location.host)));
  json.field("wall_ns", 0).field("involuntary_switches", 0);
  json.key("recorded_ns").begin_array();
  for (const double end : recorded.ends) json.value(end);
  json.end_array();
  model::write(json,
               {.computed_ns = rank.computed_ns,
                .blocked_ns = recorded.blocked_ns * part.computing,
                .ends = rank.ends,
                .flags = recorded.flags,
                .call_sites = call_sites_of(part, rank.call_sites)},
               scenarios);
  json.end_object();
  std::cout << text << '\n';
}

// Messages that go astray leave some behind that were taken in the run.
void require_same_left(const trace::Trace& trace, const std::vector<replay::Part>& parts,
                       const std::vector<replay::Replayed>& replayed,
                       const std::vector<model::Scenario>& scenarios) {
  const auto before = replay::replay({scenarios.front()}, replay::parts_of(trace));
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const auto like = static_cast<std::size_t>(parts[i].trace->rank);
    if (replayed[i].left != before[like].left) {
      throw replay::Irregular("on more ranks rank " + std::to_string(i) +
                              " gets messages that it does not wait for");
    }
  }
}

void export_goal(const std::string& path, const std::vector<replay::Part>& parts,
                 const model::Scenario& scenario) {
  std::ofstream file(path);
  replay::write_goal(file, parts, scenario);
  if (file.flush()) return;
  const std::string why = std::strerror(errno);
  std::remove(path.c_str());
  throw BadInput("--export-goal " + path + ": cannot be written: " + why);
}

int run_goal(std::ifstream& file, const Wanted& wanted) {
  const auto scenarios = scenarios_of(wanted.scenarios);
  const replay::Goal goal = replay::read_goal(file);
  std::string text;
  Json json(text);
  json.begin_object().field("ranks", goal.ranks.size()).field("messages", goal.messages);
  json.field("bytes", goal.bytes);
  json.field("longest_calc_ns", *std::ranges::max_element(goal.calc_ns));
  json.key("scenarios").begin_array();
  for (const model::Scenario& scenario : scenarios) {
    const auto ends = replay::run_goal(goal, scenario);
    json.begin_object().field("scenario", std::string_view(scenario.name));
    json.field("end_ns", *std::ranges::max_element(ends)).end_object();
  }
  json.end_array().end_object();
  std::cout << text << '\n';
  return 0;
}

int run(const Wanted& wanted) {
  std::ifstream file = open(wanted.trace);
  try {
    if (wanted.is_goal) return run_goal(file, wanted);
    if (wanted.about) {
      std::cout << trace::read_about(file) << '\n';
      return 0;
    }
    const trace::Trace trace = trace::read_trace(file);
    const auto scenarios = scenarios_of(wanted.scenarios);
    if (wanted.sections) {
      write_sections(std::cout, trace, scenarios);
      return 0;
    }
    std::optional<replay::Scaled> scaled;
    if (wanted.scaling) scaled = replay::scaled(trace, *wanted.scaling);
    const auto parts = scaled ? std::move(scaled->parts) : replay::parts_of(trace);
    const auto replayed = replay::replay(scenarios, parts);
    if (scaled) require_same_left(trace, parts, replayed, scenarios);
    if (!wanted.export_goal.empty()) export_goal(wanted.export_goal, parts, scenarios.front());
    write_run(scaled);
    const auto ranks = static_cast<int>(parts.size());
    for (int rank = 0; rank < ranks; ++rank) {
      const auto at = static_cast<std::size_t>(rank);
      write_rank(rank, parts[at], replayed[at], ranks, scenarios);
    }
    return 0;
  } catch (const trace::BadTrace& bad) {
    throw BadInput(wanted.trace + ": " + bad.what());
  } catch (const replay::BadGoal& bad) {
    throw BadInput(wanted.trace + ", " + bad.what());
  } catch (const replay::Unmatched& bad) {
    // What was recorded fits together, so it is what was made of it that does not.
    if (!wanted.scaling) throw BadInput(wanted.trace + ": " + bad.what());
    throw replay::Irregular(std::string("on more ranks ") + bad.what());
  }
}

}  // namespace
}  // namespace stretto::programs

int main(int argc, char** argv) {
  using namespace stretto;
  using namespace stretto::programs;
  try {
    const auto wanted = read_arguments(argc, argv);
    if (!wanted) {
      std::fputs(kHelp, stdout);
      return 0;
    }
    return run(*wanted);
  } catch (const replay::Irregular& unsuited) {
    std::fprintf(stderr, "stretto-replay: %s\n", unsuited.what());
    return kUnsuited;
  } catch (const BadInput& bad) {
    std::fprintf(stderr, "stretto-replay: %s\n", bad.what());
    return kBadInput;
  } catch (const BadMachine& bad) {
    std::fprintf(stderr, "stretto-replay: %s\n", bad.what());
    return kBadInput;
  } catch (const std::bad_alloc&) {
    std::fputs("stretto-replay: this takes more memory than there is\n", stderr);
    return kUnsuited;
  } catch (const std::exception& bug) {
    std::fprintf(stderr, "stretto-replay: a bug of ours: %s\n", bug.what());
    return kBug;
  }
}
