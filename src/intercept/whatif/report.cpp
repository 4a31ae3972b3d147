#include "intercept/whatif/report.hpp"

#include <span>

#include "base/config.hpp"
#include "base/file.hpp"
#include "base/json.hpp"
#include "base/log.hpp"
#include "intercept/shared/describe_rank.hpp"
#include "model/rank_report.hpp"

namespace stretto::intercept::whatif {
namespace {

// What every rank says.
void describe(Json& json, std::int64_t wall_ns, const ExchangeTime& pace) {
  describe_rank(json);
  json.field("wall_ns", wall_ns);
  if (pace.exchange_ns) json.field("exchange_ns", *pace.exchange_ns);
  if (pace.modelled_ns) json.field("modelled_exchange_ns", *pace.modelled_ns);
}

std::vector<std::pair<std::string, std::int64_t>> named(const Flags& flags) {
  return {{"wildcards", flags.wildcards},       {"polls", flags.polls},
          {"clock_reads", flags.clock_reads},   {"other_threads", flags.other_threads},
          {"not_followed", flags.not_followed}, {"late_tokens", flags.late_tokens}};
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

void write_report(Process& process, std::int64_t wall_ns, const ExchangeTime& pace) {
  std::string text;
  Json json(text);
  json.begin_object();
  describe(json, wall_ns, pace);
  json.field("crowded", process.mailbox.is_oversubscribed());
  json.key("unmodelled").begin_array();
  for (const auto& [function, times] : process.unmodelled) {
    json.begin_object()
        .field("function", function)
        .field("calls", times.calls)
        .field("ns", times.ns)
        .end_object();
  }
  json.end_array();
  json.field("polls_ns", process.poll_times.total_ns(process.flags.polls));
  const double computed_ns = process.virtual_time.computed_ns();
  model::write(json,
               {.computed_ns = computed_ns,
                .blocked_ns = process.blocked_ns,
                .ends = process.virtual_time.now(),
                .flags = named(process.flags),
                .call_sites = process.virtual_time.call_sites()},
               process.scenarios);
  json.end_object();
  write(text + '\n');
  if (!process.virtual_time.is_recorded()) return;
  const auto why_not = process.virtual_time.end_record({.computed_ns = computed_ns,
                                                        .blocked_ns = process.blocked_ns,
                                                        .flags = named(process.flags)});
  if (!why_not) return;
  say("there is no trace of rank %d: %s", process.world_rank, why_not->c_str());
}

void write_times(std::int64_t wall_ns, std::optional<std::int64_t> waited_for_core_ns,
                 const ExchangeTime& pace) {
  std::string text;
  Json json(text);
  json.begin_object();
  describe(json, wall_ns, pace);
  if (waited_for_core_ns) json.field("waited_for_core_ns", *waited_for_core_ns);
  json.end_object();
  write(text + '\n');
}

}  // namespace stretto::intercept::whatif
