#include "schedule/builder.hpp"

#include <bit>
#include <utility>

namespace stretto {
namespace {

Buffer own_data(const Shape& shape) {
  if (shape.collective == Collective::bcast) return Buffer::recv;
  // In a scatter MPI_IN_PLACE says where the root's block does not go, not where it is.
  if (!shape.in_place || shape.collective == Collective::scatter) return Buffer::send;
  return Buffer::recv;
}

Count offset_in_place(const Shape& shape, Rank me) {
  const bool own_block =
      shape.collective == Collective::gather || shape.collective == Collective::allgather;
  return shape.in_place && own_block ? me * shape.count : 0;
}

}  // namespace

Builder::Builder(const Shape& shape, Rank me)
    : own_data_(own_data(shape)), own_offset_(offset_in_place(shape, me)) {
  schedule_.shape = shape;
  schedule_.rank = me;
  // Most have a few steps a round, and rounds that double what is reached.
  const auto likely =
      4 * static_cast<std::size_t>(std::bit_width(static_cast<unsigned>(shape.size)));
  schedule_.steps.reserve(likely);
  schedule_.waits.reserve(likely);
}

StepId Builder::signal(Rank peer, const After& after) {
  message(StepKind::send, peer, sent_, after);
  return last();
}

StepId Builder::await(Rank peer, const After& after) {
  message(StepKind::recv, peer, received_, after);
  return last();
}

StepId Builder::join(const After& after) {
  if (after.empty()) return kNoStep;
  if (after.size() == 1) return after.front();
  add(StepKind::copy, after);
  return last();
}

StepId Builder::join_from(StepId first) {
  After all;
  for (StepId id = first; id < steps_; ++id) all.add(id);
  return join(all);
}

Rank Builder::mapped(Rank peer) const { return part_->rank_of(peer); }

Schedule Builder::finish() {
  steps_ = 0;
  return std::exchange(schedule_, {});
}

}  // namespace stretto
