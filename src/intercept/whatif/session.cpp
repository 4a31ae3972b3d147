#include "intercept/whatif/session.hpp"

#include "base/clock.hpp"
#include "base/config.hpp"
#include "base/file.hpp"
#include "base/log.hpp"
#include "base/thread_clock.hpp"
#include "bench/pace.hpp"
#include "intercept/shared/caller.hpp"
#include "intercept/shared/entry.hpp"
#include "intercept/shared/python.hpp"
#include "intercept/shared/roll_call.hpp"
#include "intercept/shared/this_rank.hpp"
#include "intercept/whatif/collectives.hpp"
#include "intercept/whatif/process.hpp"
#include "intercept/whatif/report.hpp"
#include "intercept/whatif/time.hpp"
#include "model/placing.hpp"
#include "mpi/world.hpp"
#include "topology/topology.hpp"

namespace stretto::intercept::whatif {
namespace {

// This rank's.
struct WhatifSession {
  MPI_Comm own{};
  std::int64_t begun_ns = 0;
  std::optional<std::int64_t> begun_delay_ns{};  // what this thread had waited for a core by then
  ExchangeTime pace{};
};
WhatifSession& session() { return of_rank<WhatifSession>(); }

std::vector<Location> locations_of_ranks() {
  const int size = Process::get().world_size;
  return Topology(of_all_ranks(Affinity::here_with_complex(), size, session().own)).locations();
}

void read_scenarios(const std::string& path) {
  Process& process = Process::get();
  const auto text = read_file(path);
  if (!text) refuse(2, "cannot read the scenarios in %s", path.c_str());
  try {
    process.scenarios = model::read_scenarios(*text);
  } catch (const BadMachine& bad) {
    refuse(2, "%s: %s", path.c_str(), bad.what());
  }
  if (process.scenarios.size() > kMostScenarios) {
    refuse(2, "%s: more than %zu scenarios", path.c_str(), kMostScenarios);
  }
  process.shown = static_cast<int>(number_setting("STRETTO_WHATIF_SHOWN", 0).value_or(0));
  if (process.shown >= static_cast<int>(process.scenarios.size())) process.shown = 0;
}

// With the neighbour that bench::exchange_with_neighbor has, as calibration found it.
std::optional<double> modelled_exchange(std::size_t ranks) {
  const Process& process = Process::get();
  const auto me = static_cast<std::size_t>(process.world_rank);
  const std::size_t neighbor = me ^ 1U;
  if (neighbor >= ranks) return {};
  const Machine& machine = process.scenarios.front().machine;
  const auto& places = process.places.front();
  const std::size_t level = machine.level_between(places[me], places[neighbor]);
  const auto cost = message_cost(machine.levels[level], bench::kPaceBytes);
  return cost.send + cost.wire + cost.recv;
}

void begin_virtual_time(const std::string& scenarios) {
  Process& process = Process::get();
  read_scenarios(scenarios);
  const auto locations = locations_of_ranks();
  for (model::Scenario& scenario : process.scenarios) {
    model::correct_by_measurements(scenario);
    process.places.push_back(model::places_of(scenario, locations));
  }
  session().pace.modelled_ns = modelled_exchange(locations.size());
  process.virtual_time.open(process.scenarios, process.places, process.world_rank);
  const auto record = setting("STRETTO_WHATIF_RECORD");
  if (record) {
    const std::string path = *record + "/rank-" + std::to_string(process.world_rank) + ".trace";
    process.virtual_time.record(path, process.world_rank, process.world_size,
                                locations[static_cast<std::size_t>(process.world_rank)]);
  }
  find_bindings();
  find_python();
  process.mailbox.open(session().own, process.scenarios.size());
  process.comms.open();
  Collectives::get().open();
}

// Calls come from several threads at once.
bool has_threads() {
  int provided = 0;
  native().Query_thread(&provided);
  return provided == MPI_THREAD_MULTIPLE;
}

// Others may still need this rank's answers; who waits here leaves its core to them.
void wait_for_all() {
  const Call barrier{.collective = Collective::barrier, .comm = native().comm_world};
  const CommPtr world = Process::get().comms.find(native().comm_world);
  Planned planned = Collectives::plan(world, barrier, "MPI_Finalize", nullptr);
  Collectives::get().finish(Collectives::get().begin(planned), false);
}

// The thread that ends MPI is the one that began it (MPI 4.1, 11.4.2).
std::optional<std::int64_t> waited_for_core(std::optional<std::int64_t> before) {
  const auto now = thread_run_delay_ns();
  if (!before || !now) return {};
  return *now - *before;
}

}  // namespace

void begin_session() {
  if (!native_available()) {
    if (!speaks_for_all()) return;
    say("this program runs on %s, which this variant (%s) does not serve: it runs as it is",
        native_soname().c_str(), STRETTO_ABI);
    return;
  }
  if (is_spawned()) {
    say("ranks of MPI_Comm_spawn run in real time");
    return;
  }
  if (!is_everywhere("whatif")) return;
  Process& process = Process::get();
  if (has_threads()) process.mutex.expect_threads();
  native().Comm_rank(native().comm_world, &process.world_rank);
  native().Comm_size(native().comm_world, &process.world_size);
  auto& [own, begun_ns, begun_delay_ns, pace] = session();
  own = copy_of_world();
  const auto scenarios = setting("STRETTO_WHATIF_SCENARIOS");
  if (scenarios) begin_virtual_time(*scenarios);
  pace.exchange_ns = bench::exchange_with_neighbor(own);
  static_cast<void>(of_all_ranks('x', process.world_size, own));  // they all begin now
  begun_delay_ns = thread_run_delay_ns();
  begun_ns = now_ns();
  if (!scenarios) return;
  process.first_touches.open(process.scenarios.front().machine.page_fault);
  // There before this thread's clocks are: what it allocates may read them.
  std::atomic<bool>& active = detail::active();
  process.begin_counting();
  process.take_token();
  process.resume_computing();
  remember_beginnings();
  active.store(true, std::memory_order_release);
}

void end_session() {
  Process& process = Process::get();
  auto& [own, begun_ns, begun_delay_ns, pace] = session();
  if (own == MPI_Comm{} || !is_rank_process()) return;
  const std::int64_t wall_ns = now_ns() - begun_ns;
  if (!detail::active().load(std::memory_order_acquire)) {
    write_times(wall_ns, waited_for_core(begun_delay_ns), pace);
  } else {
    process.stop_computing(Stops::to_call);
    detail::active().store(false, std::memory_order_release);
    write_report(process, wall_ns, pace);
    wait_for_all();
    process.mailbox.close();
    process.comms.close();
  }
  native().Comm_free(&own);
}

double virtual_now_ns() {
  Process& process = Process::get();
  const Pause pause(Stops::to_read_clock);
  const Lock lock(process.mutex);
  ++process.flags.clock_reads;
  return process.virtual_time.seen(static_cast<std::size_t>(process.shown));
}

}  // namespace stretto::intercept::whatif
