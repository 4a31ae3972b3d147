#include "intercept/calibrate/session.hpp"

#include <unistd.h>

#include <span>
#include <sstream>

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

// All ranks, those together that are near each other: so the model has them.
MPI_Comm in_order_of_locations(const Topology& topology, int rank) {
  const Location& mine = topology.location_of(rank);
  const auto before = std::ranges::count_if(
      topology.locations(), [&](const Location& location) { return location < mine; });
  MPI_Comm ordered{};
  native().Comm_split(native().comm_world, 0, static_cast<int>(before), &ordered);
  return ordered;
}

void describe_collectives(Json& json, MPI_Comm comm) {
  json.key("collectives").begin_array();
  for (const auto& each : bench::measure_collectives(comm)) {
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
  const Topology topology(of_all_ranks(Affinity::here_with_complex(), size, native().comm_world));
  std::ostringstream out;
  Json json(out);
  json.begin_object()
      .field("mpi", std::string_view(native_version()))
      .field("ranks", size)
      .field("hosts", topology.hosts())
      .field("crowded", topology.oversubscribed());
  MPI_Comm ordered = in_order_of_locations(topology, rank);
  describe_collectives(json, ordered);
  native().Comm_free(&ordered);
  describe_messages(json, topology);
  if (rank == 0) describe_work(json);
  json.end_object();
  const auto path = setting("STRETTO_CALIBRATE_FILE");
  if (rank != 0 || !path) return;
  const std::string text = out.str() + "\n";
  if (!write_file(*path, std::as_bytes(std::span(text))))
    refuse(5, "cannot write %s", path->c_str());
}

}  // namespace

void begin_session() {
  measure();
  using Finalize = int (*)();
  real_function<Finalize>("PMPI_Finalize")();
  _exit(0);
}

}  // namespace stretto::intercept::calibrate
