#include "schedule/builder.hpp"

#include <algorithm>
#include <utility>

namespace stretto {

Builder::Builder(const Shape& shape, Rank me) {
  schedule_.shape = shape;
  schedule_.rank = me;
  schedule_.steps.reserve(16);
  schedule_.waits.reserve(16);
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
  return add({.kind = StepKind::send, .peer = peer, .ordinal = sent_.next(peer), .from = from},
             after);
}

StepId Builder::recv(Rank peer, Region to, const After& after) {
  if (to.span.count == 0) return join(after);
  return add({.kind = StepKind::recv, .peer = peer, .ordinal = received_.next(peer), .to = to},
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
  return add({.kind = StepKind::send, .peer = peer, .ordinal = sent_.next(peer)}, after);
}

StepId Builder::await(Rank peer, const After& after) {
  return add({.kind = StepKind::recv, .peer = peer, .ordinal = received_.next(peer)}, after);
}

StepId Builder::join(const After& after) {
  const auto ids = after.ids();
  if (ids.size() > 1) return add({.kind = StepKind::copy}, after);
  return ids.empty() ? kNoStep : ids.front();
}

Schedule Builder::finish() { return std::exchange(schedule_, {}); }

StepId Builder::add(Step step, const After& after) {
  const auto ids = after.ids();
  step.first_wait = static_cast<std::int32_t>(schedule_.waits.size());
  step.waits = static_cast<std::int32_t>(ids.size());
  for (const StepId id : ids) schedule_.waits.push_back(id);
  schedule_.steps.push_back(step);
  return static_cast<StepId>(schedule_.steps.size()) - 1;
}

}  // namespace stretto
