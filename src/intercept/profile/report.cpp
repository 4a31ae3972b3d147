#include "intercept/profile/report.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <span>
#include <string>
#include <vector>

#include "base/config.hpp"
#include "base/file.hpp"
#include "base/json.hpp"
#include "base/log.hpp"
#include "base/words.hpp"
#include "intercept/shared/caller.hpp"
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
  json.begin_object()
      .field("members", std::string_view(in_hex(comm.members)))
      .field("ordinal", comm.ordinal)
      .field("size", comm.size)
      .field("rank", comm.rank)
      .field("is_inter", comm.is_inter)
      .field("is_folded", comm.is_folded)
      .field("collectives", comm.collectives)
      .field("stride", comm.stride)
      .end_object();
}

// What is above main, and above a thread's function, is the C library's.
bool is_c_librarys(const CodePlace& place) {
  const std::string_view name = std::string_view(place.object).substr(place.object.rfind('/') + 1);
  return name.starts_with("libc.so") || name.starts_with("libc-2.") ||
         name.starts_with("libpthread");
}

void describe(Json& json, const CallPath& path) {
  json.key("callers").begin_array();
  for (const StackPlace& each : path) {
    const CodePlace place = place_of(each.caller, each.line);
    if (!place.is_source && is_c_librarys(place)) break;
    json.begin_object()
        .field("object", std::string_view(place.object))
        .field("offset", place.offset)
        .field("symbol", std::string_view(place.symbol))
        .field("is_source", place.is_source)
        .end_object();
  }
  json.end_array();
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
      .field("longest_ns", call_site.longest)
      .field("message_ns", call_site.message_time)
      .field("trivial_ns", call_site.trivial_time);
  json.key("sizes").begin_array();  // [bit width of the bytes, calls]
  for (std::size_t bits = 0; bits < call_site.sizes.size(); ++bits) {
    if (call_site.sizes[bits] == 0) continue;
    json.begin_array().value(bits).value(call_site.sizes[bits]).end_array();
  }
  json.end_array();
  if (!call_site.path.empty()) describe(json, call_site.path);
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

void describe(Json& json, const MessageRecorder& messages, std::size_t channels) {
  json.key("messages")
      .begin_object()
      .field("rows", messages.rows().size())
      .field("channels", channels)
      .end_object();
}

void describe(Json& json, const EventLog& trace) {
  if (trace.calls() == 0) return;
  std::int64_t kept = 0;
  for (const TimedEvent& event : trace.events()) kept += event.calls;
  json.key("trace")
      .begin_object()
      .field("calls", trace.calls())
      .field("kept", kept)
      .field("events", trace.events().size())
      .end_object();
}

// Of a snapshot: which one, why it is the last, and the calls that go on.
struct Unfinished {
  long number;
  std::string_view why;
  std::vector<Record> open_calls;
  std::vector<int> call_sites;  // of these
};

void describe(Json& json, const Unfinished& unfinished, std::int64_t now) {
  json.key("snapshot").begin_object();
  json.field("number", unfinished.number).field("why", unfinished.why);
  json.key("open").begin_array();
  for (std::size_t i = 0; i < unfinished.open_calls.size(); ++i) {
    const Record& call = unfinished.open_calls[i];
    const CodePlace place = place_of(call.caller);
    json.begin_object()
        .field("function", kFunctions[static_cast<std::size_t>(call.function)].name)
        .field("object", std::string_view(place.object))
        .field("offset", place.offset)
        .field("site", unfinished.call_sites[i])
        .field("time_ns", std::max<std::int64_t>(now - call.enter, 0))
        .end_object();
  }
  json.end_array().end_object();
}

void begin_text(Json& json, const ProfileSession& session, const Recorded& recorded) {
  json.begin_object();
  describe_rank(json, session.rank);
  json.field("begin_ns", session.begin).field("end_ns", session.end);
  json.key("clocks").begin_array();
  describe(json, session.clocks_at_begin);
  describe(json, session.clocks_at_end);
  json.end_array().key("comms").begin_array();
  for (const ProfiledComm& comm : recorded.comms) describe(json, comm);
  json.end_array().key("sites").begin_array();
  for (std::size_t i = 0; i < recorded.call_sites.size(); ++i) {
    describe(json, recorded.call_sites[i], recorded.overlaps[i]);
  }
  json.end_array();
}

std::string path_of(const std::string& folder, const ProfileSession& session) {
  return folder + "/rank-" + std::to_string(session.rank.rank);
}

std::string collectives_of(const std::string& path, long number) {
  return path + ".collectives-" + std::to_string(number);
}

}  // namespace

const char* name_of(FunctionKind kind) {
  constexpr std::array kNames{"collective",   "start",     "point-to-point", "completion", "probe",
                              "communicator", "one-sided", "file",           "other"};
  static_assert(kNames.size() == static_cast<std::size_t>(FunctionKind::other) + 1);
  return kNames[static_cast<std::size_t>(kind)];
}

void write_report(const ProfileSession& session, CallRecorder& recorder) {
  const auto folder = setting("STRETTO_PROFILE_FOLDER");
  if (!folder) return;
  const std::string path = path_of(*folder, session);
  const Recorded recorded = recorder.recorded();
  const auto& messages = recorder.messages().rows();
  const auto channels = recorder.messages().channels();
  std::string text;
  Json json(text);
  begin_text(json, session, recorded);
  describe(json, recorder.messages(), channels.size());
  describe(json, recorder.trace());
  json.end_object();
  text += '\n';
  const auto& events = recorder.trace().events();
  // The JSON last: where it is, all are whole.
  const bool written =
      (events.empty() || write_new_file(path + ".trace", std::as_bytes(std::span(events)))) &&
      write_new_file(path + ".messages", std::as_bytes(std::span(messages))) &&
      write_new_file(path + ".channels", std::as_bytes(std::span(channels))) &&
      write_new_file(path + ".collectives", std::as_bytes(std::span(recorded.instances))) &&
      write_new_file(path + ".json", std::as_bytes(std::span(text)));
  if (!written) say("cannot write %s.json: this rank's profile is lost", path.c_str());
}

bool write_snapshot(const std::string& folder, const ProfileSession& session,
                    CallRecorder& recorder, long number, std::string_view why) {
  const std::string path = path_of(folder, session);
  ProfileSession until_now = session;
  until_now.end = now_ns();
  // Clocks are compared by messages.
  until_now.clocks_at_end = session.clocks_at_begin;
  until_now.clocks_at_end.at = until_now.end;
  const std::vector<Record> open_calls = recorder.open_calls();
  const Recorded recorded = recorder.recorded(open_calls, until_now.end);
  std::string text;
  Json json(text);
  begin_text(json, until_now, recorded);
  describe(json, Unfinished{number, why, open_calls, recorded.open_sites}, until_now.end);
  json.end_object();
  text += '\n';
  const std::string partial = path + ".partial";
  const bool written =
      write_file(collectives_of(path, number), std::as_bytes(std::span(recorded.instances))) &&
      write_file(partial, std::as_bytes(std::span(text))) &&
      ::rename(partial.c_str(), (path + ".snapshot").c_str()) == 0;
  ::unlink(collectives_of(path, written ? number - 1 : number).c_str());
  if (!written) ::unlink(partial.c_str());
  return written;
}

void remove_snapshot(const std::string& folder, const ProfileSession& session, long number) {
  const std::string path = path_of(folder, session);
  ::unlink((path + ".snapshot").c_str());
  ::unlink(collectives_of(path, number).c_str());
}

}  // namespace stretto::intercept::profile
