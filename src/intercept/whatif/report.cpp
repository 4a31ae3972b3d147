#include "intercept/whatif/report.hpp"

#include <span>
#include <sstream>

#include "base/config.hpp"
#include "base/file.hpp"
#include "base/json.hpp"
#include "base/log.hpp"
#include "intercept/calls/caller.hpp"
#include "intercept/calls/world.hpp"

namespace stretto::intercept::whatif {
namespace {

void describe(Json& json, const SiteKey& key, const Site& site) {
  const CodePlace place = place_of(key.caller);
  json.begin_object()
      .field("function", key.function)
      .field("object", std::string_view(place.object))
      .field("offset", place.offset)
      .field("symbol", std::string_view(place.symbol))
      .field("ranks", key.size)
      .field("calls", site.calls)
      .field("bytes", site.bytes)
      .field("waiting_ns", site.waiting_ns)
      .field("transfer_ns", site.transfer_ns)
      .end_object();
}

void describe(Json& json, const Flags& flags) {
  json.begin_object()
      .field("wildcards", flags.wildcards)
      .field("polls", flags.polls)
      .field("clock_reads", flags.clock_reads)
      .field("other_threads", flags.other_threads)
      .field("not_followed", flags.not_followed)
      .end_object();
}

void write(const std::string& text) {
  const auto folder = setting("STRETTO_WHATIF_FOLDER");
  if (!folder) return;
  int rank = 0;
  native().Comm_rank(native().comm_world, &rank);
  const std::string path = *folder + "/rank-" + std::to_string(rank) + ".json";
  if (!write_new_file(path, std::as_bytes(std::span(text)))) {
    say("cannot write %s: this rank's times are lost", path.c_str());
  }
}

}  // namespace

void write_report(const Process& process, std::int64_t wall_ns) {
  std::ostringstream out;
  Json json(out);
  json.begin_object();
  describe_rank(json);
  json.field("wall_ns", wall_ns);
  json.field("crowded", process.mailbox.is_crowded());
  json.field("computed_ns", process.computed_ns).field("blocked_ns", process.blocked_ns);
  json.key("clocks").begin_array();
  for (std::size_t i = 0; i < process.scenarios.size(); ++i) {
    json.begin_object()
        .field("scenario", std::string_view(process.scenarios[i].name))
        .field("end_ns", process.clocks->now()[i])
        .end_object();
  }
  json.end_array().key("flags");
  describe(json, process.flags);
  json.key("sites").begin_array();
  for (const auto& [key, site] : process.sites) describe(json, key, site);
  json.end_array().end_object();
  write(out.str() + "\n");
}

void write_times(std::int64_t wall_ns) {
  std::ostringstream out;
  Json json(out);
  json.begin_object();
  describe_rank(json);
  json.field("wall_ns", wall_ns);
  json.end_object();
  write(out.str() + "\n");
}

}  // namespace stretto::intercept::whatif
