#include "intercept/profile/report.hpp"

#include <array>
#include <span>
#include <sstream>

#include "base/config.hpp"
#include "base/file.hpp"
#include "base/json.hpp"
#include "base/log.hpp"
#include "intercept/shared/describe_rank.hpp"

namespace stretto::intercept::profile {
namespace {

void describe(Json& json, const ClockSample& sample) {
  json.begin_object()
      .field("at_ns", sample.at)
      .field("offset_ns", sample.offset)
      .field("error_ns", sample.error)
      .end_object();
}

void describe(Json& json, const ProfiledComm& comm) {
  std::ostringstream members;
  members << std::hex << comm.members;
  json.begin_object()
      .field("members", members.str())
      .field("ordinal", comm.ordinal)
      .field("size", comm.size)
      .field("rank", comm.rank)
      .field("is_inter", comm.is_inter)
      .field("is_folded", comm.is_folded)
      .field("collectives", comm.collectives)
      .field("stride", comm.stride)
      .end_object();
}

void describe(Json& json, const ProfiledCallSite& call_site, const Overlap& overlap) {
  const CodePlace place = place_of(call_site.caller, call_site.line);
  const Function& function = kFunctions[static_cast<std::size_t>(call_site.function)];
  json.begin_object()
      .field("function", function.name)
      .field("kind", name_of(function.kind))
      .field("object", std::string_view(place.object))
      .field("offset", place.offset)
      .field("symbol", std::string_view(place.symbol))
      .field("is_source", place.is_source)
      .field("comm", call_site.comm)
      .field("calls", call_site.calls)
      .field("bytes", call_site.bytes)
      .field("time_ns", call_site.time)
      .field("longest_ns", call_site.longest);
  json.key("sizes").begin_array();  // [bit width of the bytes, calls]
  for (std::size_t bits = 0; bits < call_site.sizes.size(); ++bits) {
    if (call_site.sizes[bits] == 0) continue;
    json.begin_array().value(bits).value(call_site.sizes[bits]).end_array();
  }
  json.end_array();
  if (overlap.started > 0) {
    json.key("overlap")
        .begin_object()
        .field("started", overlap.started)
        .field("completed", overlap.completed)
        .field("computed_ns", overlap.computed)
        .field("waited_ns", overlap.waited)
        .field("hideable_ns", overlap.hideable)
        .end_object();
  }
  json.end_object();
}

std::string text_of(const ProfileSession& session, const CallRecorder& recorder) {
  std::ostringstream out;
  Json json(out);
  json.begin_object();
  describe_rank(json);
  json.field("begin_ns", session.begin).field("end_ns", session.end);
  json.key("clocks").begin_array();
  describe(json, session.clocks_at_begin);
  describe(json, session.clocks_at_end);
  json.end_array().key("comms").begin_array();
  for (const ProfiledComm& comm : recorder.comms()) describe(json, comm);
  json.end_array().key("sites").begin_array();
  for (int i = 0; const ProfiledCallSite& call_site : recorder.call_sites()) {
    describe(json, call_site, recorder.overlap_of(i++));
  }
  json.end_array();
  if (const EventLog& trace = recorder.trace(); trace.calls() > 0) {
    std::int64_t kept = 0;
    for (const TimedEvent& event : trace.events()) kept += event.calls;
    json.key("trace")
        .begin_object()
        .field("calls", trace.calls())
        .field("kept", kept)
        .field("events", trace.events().size())
        .end_object();
  }
  json.end_object();
  return out.str() + "\n";
}

}  // namespace

const char* name_of(FunctionKind kind) {
  constexpr std::array kNames{"collective",   "start",     "point-to-point", "completion", "probe",
                              "communicator", "one-sided", "file",           "other"};
  static_assert(kNames.size() == static_cast<std::size_t>(FunctionKind::other) + 1);
  return kNames[static_cast<std::size_t>(kind)];
}

void write_report(const ProfileSession& session, const CallRecorder& recorder) {
  const auto folder = setting("STRETTO_PROFILE_FOLDER");
  if (!folder) return;
  int rank = 0;
  native().Comm_rank(native().comm_world, &rank);
  const std::string path = *folder + "/rank-" + std::to_string(rank);
  const std::string text = text_of(session, recorder);
  const auto& instances = recorder.instances();
  const auto& events = recorder.trace().events();
  // The JSON last: where it is, all are whole.
  const bool written =
      (events.empty() || write_new_file(path + ".trace", std::as_bytes(std::span(events)))) &&
      write_new_file(path + ".collectives", std::as_bytes(std::span(instances))) &&
      write_new_file(path + ".json", std::as_bytes(std::span(text)));
  if (!written) say("cannot write %s.json: this rank's profile is lost", path.c_str());
}

}  // namespace stretto::intercept::profile
