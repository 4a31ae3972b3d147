#include "programs/replay/sections.hpp"

#include <algorithm>

#include "base/json.hpp"

namespace stretto::programs {
namespace {

using replay::SectionEndKind;

std::string_view word_of(SectionEndKind kind) {
  switch (kind) {
    case SectionEndKind::start:
      return "start";
    case SectionEndKind::end:
      return "end";
    case SectionEndKind::send:
      return "send";
    case SectionEndKind::receive:
      return "receive";
    case SectionEndKind::probe:
      return "probe";
    case SectionEndKind::collective:
      return "collective";
    case SectionEndKind::wait:
      return "wait";
    case SectionEndKind::other:
      return "other";
  }
  return "";
}

std::string_view word_of(replay::CallShare share) {
  switch (share) {
    case replay::CallShare::all:
      return "all";
    case replay::CallShare::waiting:
      return "waiting";
    case replay::CallShare::transfer:
      return "transfer";
  }
  return "";
}

void write(Json& json, std::string_view key, const replay::SectionEnd& end) {
  json.key(key).begin_object().field("kind", word_of(end.kind));
  json.field("call_site", end.call_site).end_object();
}

void write(Json& json, std::string_view key, const replay::SectionTotal& total) {
  json.key(key).begin_object().field("count", total.count).field("bytes", total.bytes);
  json.field("ns", total.ns).end_object();
}

void write(Json& json, const replay::Sections& sections) {
  json.key("call_sites").begin_array();
  for (const model::CallSite& each : sections.call_sites()) {
    json.begin_object()
        .field("function", std::string_view(each.function))
        .field("object", std::string_view(each.object))
        .field("offset", each.offset)
        .field("symbol", std::string_view(each.symbol))
        .field("is_source", each.is_source)
        .end_object();
  }
  json.end_array().key("sections").begin_array();
  for (const auto& [section, sum] : sections.sums()) {
    json.begin_object().field("is_call", section.is_call);
    write(json, "begin", section.from);
    write(json, "end", section.to);
    json.field("phase", section.phase).field("share", word_of(section.share));
    write(json, "all", sum.all);
    write(json, "most", sum.most);
    json.end_object();
  }
  json.end_array();
}

}  // namespace

void write_sections(std::ostream& out, const trace::Trace& trace,
                    const std::vector<model::Scenario>& scenarios) {
  replay::Sections sections;
  const std::vector<model::Scenario> first{scenarios.front()};
  const auto ranks = replay::replay(first, replay::parts_of(trace), &sections);
  double last = 0;
  double all = 0;
  for (const replay::Replayed& rank : ranks) {
    last = std::max(last, rank.ends.front());
    all += rank.ends.front();
  }
  std::string text;
  Json json(text);
  json.begin_object().field("ranks", ranks.size()).field("last_ns", last).field("all_ns", all);
  write(json, sections);
  json.end_object();
  out << text << '\n';
}

}  // namespace stretto::programs
