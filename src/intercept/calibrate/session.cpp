#include "intercept/calibrate/session.hpp"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <map>
#include <span>
#include <vector>

#include "base/config.hpp"
#include "base/file.hpp"
#include "base/json.hpp"
#include "base/log.hpp"
#include "bench/collectives.hpp"
#include "bench/messages.hpp"
#include "bench/work.hpp"
#include "intercept/shared/entry.hpp"
#include "mpi/world.hpp"
#include "topology/levels.hpp"

namespace stretto::intercept::calibrate {
namespace {

using bench::Sample;

void describe(Json& json, const char* name, const Sample& sample) {
  json.key(name).begin_array().value(sample.typical).value(sample.low).value(sample.high);
  json.end_array();
}

void describe(Json& json, const bench::MessageTimes& times) {
  json.begin_object().field("bytes", times.bytes);
  describe(json, "one_way", times.one_way);
  describe(json, "exchange", times.exchange);
  describe(json, "send", times.send);
  describe(json, "recv", times.recv);
  describe(json, "gap", times.gap);
  json.field("rendezvous", times.rendezvous);
  json.end_object();
}

void describe_messages(Json& json, const Topology& topology) {
  json.key("levels").begin_array();
  for (const TopologyLevel& level : levels_of(topology)) {
    json.begin_object().field("name", level.name).field("holds", level.holds);
    json.key("messages").begin_array();
    for (const auto& times :
         bench::measure_messages(native().comm_world, level.first, level.second)) {
      describe(json, times);
    }
    json.end_array().end_object();
  }
  json.end_array();
}

// As many of each host's ranks as it has cores, by whether they are: those beyond would measure how
// ranks wait for cores.
std::vector<bool> with_a_core(const std::vector<Affinity>& affinities, const Topology& topology) {
  std::map<int, CoreSet> cores;  // by host
  for (int rank = 0; rank < topology.size(); ++rank) {
    cores[topology.host_of(rank)] |= affinities[static_cast<std::size_t>(rank)].cores;
  }
  std::map<int, std::size_t> before;
  std::vector<bool> has_one;
  for (int rank = 0; rank < topology.size(); ++rank) {
    const int host = topology.host_of(rank);
    has_one.push_back(cores[host].none() || before[host] < cores[host].count());
    ++before[host];
  }
  // There is nothing to measure on one rank.
  if (std::ranges::count(has_one, true) < 2) has_one.assign(has_one.size(), true);
  return has_one;
}

// Those ranks, together that are near each other: so the model has them.
MPI_Comm in_order_of_locations(const Topology& topology, int rank, bool takes_part) {
  const Location& mine = topology.location_of(rank);
  const auto before = std::ranges::count_if(
      topology.locations(), [&](const Location& location) { return location < mine; });
  MPI_Comm ordered{};
  native().Comm_split(native().comm_world, takes_part ? 0 : 1, static_cast<int>(before), &ordered);
  return ordered;
}

void describe_collectives(Json& json, const Topology& topology, const std::vector<bool>& takes_part,
                          int rank) {
  const bool is_in = takes_part[static_cast<std::size_t>(rank)];
  MPI_Comm ordered = in_order_of_locations(topology, rank, is_in);
  std::vector<bench::CollectiveTime> times;
  if (is_in) {
    times = bench::measure_collectives(ordered);
  } else {
    bench::sleep_until_awoken(0, native().comm_world);
  }
  for (int other = 0; rank == 0 && other < topology.size(); ++other) {
    if (!takes_part[static_cast<std::size_t>(other)]) bench::awake(other, native().comm_world);
  }
  native().Comm_free(&ordered);
  json.key("collectives").begin_array();
  for (const auto& each : times) {
    json.begin_object().field("name", name_of(each.collective)).field("bytes", each.bytes);
    json.field("calls", each.calls);
    describe(json, "time", each.time);
    if (each.cold) describe(json, "cold", *each.cold);
    json.end_object();
  }
  json.end_array();
}

void describe_work(Json& json) {
  json.key("work").begin_array();
  for (const auto& each : bench::measure_work()) {
    json.begin_object().field("bytes", each.bytes);
    describe(json, "copy", each.copy);
    describe(json, "reduce", each.reduce);
    json.end_object();
  }
  json.end_array();
  describe(json, "page_fault", bench::measure_page_fault());
}

void measure() {
  if (!native_available()) {
    refuse(5, "this program runs on %s, which this variant (%s) does not serve",
           native_soname().c_str(), STRETTO_ABI);
  }
  int rank = 0;
  int size = 1;
  native().Comm_rank(native().comm_world, &rank);
  native().Comm_size(native().comm_world, &size);
  const auto affinities = of_all_ranks(Affinity::here_with_complex(), size, native().comm_world);
  const Topology topology(affinities);
  // Rank 0, which writes the file, is among them: it is its host's first.
  const std::vector<bool> takes_part = with_a_core(affinities, topology);
  std::vector<Affinity> of_those;
  for (std::size_t each = 0; each < takes_part.size(); ++each) {
    if (takes_part[each]) of_those.push_back(affinities[each]);
  }
  std::string text;
  Json json(text);
  json.begin_object()
      .field("mpi", std::string_view(native_version()))
      .field("ranks", of_those.size())
      .field("hosts", topology.hosts())
      .field("crowded", Topology(of_those).oversubscribed());
  describe_collectives(json, topology, takes_part, rank);
  describe_messages(json, topology);
  if (rank == 0) describe_work(json);
  json.end_object();
  const auto path = setting("STRETTO_CALIBRATE_FILE");
  if (rank != 0 || !path) return;
  text += '\n';
  if (!write_file(*path, std::as_bytes(std::span(text))))
    refuse(5, "cannot write %s", path->c_str());
}

std::atomic<bool> is_over = false;

}  // namespace

void end_at_exit() {
  std::atexit([] {
    if (is_over) _exit(0);
  });
}

// By exit() and not at once: MPICH's MPI_Init registers there what tells the launcher that the rank
// has finalized, and Hydra kills the other ranks of one that ends without that.
void begin_session() {
  measure();
  using Finalize = int (*)();
  real_function<Finalize>("PMPI_Finalize")();
  is_over = true;
  std::exit(0);
}

}  // namespace stretto::intercept::calibrate
