#include "programs/schedule/describe.hpp"

#include <array>

#include "schedule/verify_words.hpp"

namespace stretto::programs {
namespace {

std::string_view name_of(StepKind kind) {
  constexpr std::array<std::string_view, 4> kNames{"send", "recv", "copy", "reduce"};
  return kNames[static_cast<std::size_t>(kind)];
}

void write_region(Json& json, std::string_view key, const Region& region) {
  json.key(key)
      .begin_object()
      .field("buffer", stretto::name_of(region.buffer))
      .field("offset", region.span.offset)
      .field("count", region.span.count)
      .end_object();
}

}  // namespace

void write_request(Json& json, const Request& request) {
  const Shape& shape = request.shape;
  json.field("collective", stretto::name_of(shape.collective))
      .field("algorithm", request.algorithm->name)
      .field("size", shape.size)
      .field("count", shape.count)
      .field("segment", shape.segment)
      .field("radix", shape.radix)
      .field("root", shape.root)
      .field("in_place", shape.in_place)
      .key("layout")
      .begin_array();
  for (const LayoutLevel& level : request.layout.levels()) {
    json.begin_object().field("level", level.name()).key("group_of").begin_array();
    for (Rank rank = 0; rank < shape.size; ++rank) json.value(level.groups().group_of(rank));
    json.end_array().end_object();
  }
  json.end_array();
}

void write_cost(Json& json, const Cost& cost) {
  json.key("cost")
      .begin_object()
      .field("messages", cost.messages)
      .field("elements", cost.elements)
      .field("rounds", cost.rounds)
      .field("max_messages", cost.max_messages)
      .field("max_sent", cost.max_sent)
      .field("max_received", cost.max_received)
      .field("max_reduced", cost.max_reduced)
      .field("max_scratch", cost.max_scratch)
      .field("alpha", cost.alpha)
      .field("beta", cost.beta)
      .field("gamma", cost.gamma)
      .key("levels")
      .begin_array();
  for (const LevelTraffic& each : cost.levels) {
    json.begin_object()
        .field("level", each.level)
        .field("messages", each.messages)
        .field("elements", each.elements)
        .end_object();
  }
  json.end_array().end_object();
}

void write_step(Json& json, const Schedule& schedule, StepId id, const Interval& when) {
  const Step& step = schedule.steps[static_cast<std::size_t>(id)];
  const bool message = step.kind == StepKind::send || step.kind == StepKind::recv;
  json.begin_object().field("kind", name_of(step.kind)).field("words", describe(step));
  if (message) json.field("peer", step.peer).field("ordinal", step.ordinal);
  if (step.kind != StepKind::recv) write_region(json, "from", step.from);
  if (step.kind != StepKind::send) write_region(json, "to", step.to);
  json.key("waits").begin_array();
  for (const StepId wait : schedule.waits_of(step)) json.value(wait);
  json.end_array().field("start", when.start).field("end", when.end).end_object();
}

}  // namespace stretto::programs
