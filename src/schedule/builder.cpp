#include "schedule/builder.hpp"

#include <algorithm>
#include <utility>

namespace stretto {

Builder::Builder(const Shape& shape, Rank me) {
  schedule_.shape = shape;
  schedule_.rank = me;
  sent_.resize(static_cast<std::size_t>(shape.size));
  received_.resize(static_cast<std::size_t>(shape.size));
}

Region Builder::input(Span span) const {
  const Shape& shape = schedule_.shape;
  if (shape.collective == Collective::bcast) return {Buffer::recv, span};
  // In a scatter MPI_IN_PLACE says where the root's block does not go, not where it is.
  if (!shape.in_place || shape.collective == Collective::scatter) return {Buffer::send, span};
  const bool own_block =
      shape.collective == Collective::gather || shape.collective == Collective::allgather;
  if (own_block) span.offset += schedule_.rank * shape.count;
  return {Buffer::recv, span};
}

Region Builder::output(Span span) const { return {Buffer::recv, span}; }

Region Builder::scratch(Span span) {
  schedule_.scratch = std::max(schedule_.scratch, span.end());
  return {Buffer::scratch, span};
}

StepId Builder::send(Rank peer, Region from, const After& after) {
  if (from.span.count == 0) return join(after);
  return add(
      {.kind = StepKind::send, .peer = peer, .ordinal = next_ordinal(sent_, peer), .from = from},
      after);
}

StepId Builder::recv(Rank peer, Region to, const After& after) {
  if (to.span.count == 0) return join(after);
  return add(
      {.kind = StepKind::recv, .peer = peer, .ordinal = next_ordinal(received_, peer), .to = to},
      after);
}

StepId Builder::copy(Region from, Region to, const After& after) {
  if (from.span.count == 0 || from == to) return join(after);
  return add({.kind = StepKind::copy, .from = from, .to = to}, after);
}

StepId Builder::reduce(Region from, Region to, const After& after) {
  if (from.span.count == 0) return join(after);
  return add({.kind = StepKind::reduce, .from = from, .to = to}, after);
}

StepId Builder::signal(Rank peer, const After& after) {
  return add({.kind = StepKind::send, .peer = peer, .ordinal = next_ordinal(sent_, peer)}, after);
}

StepId Builder::await(Rank peer, const After& after) {
  return add({.kind = StepKind::recv, .peer = peer, .ordinal = next_ordinal(received_, peer)},
             after);
}

StepId Builder::join(const After& after) {
  StepId only = kNoStep;
  for (const StepId id : after.ids()) {
    if (id == kNoStep || id == only) continue;
    if (only != kNoStep) return add({.kind = StepKind::copy}, after);
    only = id;
  }
  return only;
}

Schedule Builder::finish() { return std::exchange(schedule_, {}); }

StepId Builder::add(Step step, const After& after) {
  step.first_wait = static_cast<std::int32_t>(schedule_.waits.size());
  for (const StepId id : after.ids()) {
    const auto begin = schedule_.waits.begin() + step.first_wait;
    if (id == kNoStep || std::find(begin, schedule_.waits.end(), id) != schedule_.waits.end()) {
      continue;
    }
    schedule_.waits.push_back(id);
  }
  step.waits = static_cast<std::int32_t>(schedule_.waits.size()) - step.first_wait;
  schedule_.steps.push_back(step);
  return static_cast<StepId>(schedule_.steps.size()) - 1;
}

std::int32_t Builder::next_ordinal(std::vector<std::int32_t>& ordinals, Rank peer) {
  return ordinals[static_cast<std::size_t>(peer)]++;
}

}  // namespace stretto
