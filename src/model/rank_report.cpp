#include "model/rank_report.hpp"

#include <string_view>

namespace stretto::model {
namespace {

void write(Json& json, const CallSite& call_site, const CallSiteTimes& times) {
  json.begin_object()
      .field("function", std::string_view(call_site.function))
      .field("object", std::string_view(call_site.object))
      .field("offset", call_site.offset)
      .field("symbol", std::string_view(call_site.symbol))
      .field("is_source", call_site.is_source)
      .field("ranks", call_site.ranks)
      .field("calls", times.calls)
      .field("bytes", times.bytes)
      .field("waiting_ns", times.waiting_ns)
      .field("transfer_ns", times.transfer_ns)
      .end_object();
}

}  // namespace

void write(Json& json, const RankReport& report, const std::vector<Scenario>& scenarios) {
  json.field("computed_ns", report.computed_ns).field("blocked_ns", report.blocked_ns);
  json.key("clocks").begin_array();
  for (std::size_t i = 0; i < scenarios.size(); ++i) {
    json.begin_object()
        .field("scenario", std::string_view(scenarios[i].name))
        .field("end_ns", report.ends[i])
        .end_object();
  }
  json.end_array().key("flags").begin_object();
  for (const auto& [name, count] : report.flags) json.field(name, count);
  json.end_object().key("sites").begin_array();
  for (const auto& [call_site, times] : report.call_sites) write(json, call_site, times);
  json.end_array();
}

}  // namespace stretto::model
