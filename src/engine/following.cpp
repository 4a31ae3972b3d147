// Reduces what a message brings while the rest of it is still to come: what has just come is in
// this core's cache, and need not be written to memory first.

#include "engine/operation.hpp"
#include "mpi/addition.hpp"

namespace stretto {

// It is about to be posted. Where the reduction of what it receives waits for nothing else now, no
// other step changes its operands, or reads the result's place, before it is done (see
// schedule/verify.hpp): so it may begin with the part that is there.
void Operation::follow(StepId id) {
  if (reduced_.empty()) return;
  const StepId reduction = task_.plan->reductions[static_cast<std::size_t>(id)].step;
  if (reduction == kNoStep || waits_left_[static_cast<std::size_t>(reduction)] != 1) return;
  const auto may = [this](const Region& region) {
    const Block& buffer = block(region.buffer);
    return buffer.parts.empty() && buffer.element.plain &&
           region.span.count * buffer.element.bytes > kShortMessage;
  };
  const Step& reduced = step(reduction);
  if (may(reduced.from) && may(reduced.to)) reduced_[static_cast<std::size_t>(reduction)] = 0;
}

bool Operation::is_followed(StepId id) const {
  if (reduced_.empty()) return false;
  const StepId reduction = task_.plan->reductions[static_cast<std::size_t>(id)].step;
  return reduction != kNoStep && reduced_[static_cast<std::size_t>(reduction)] != kNotFollowed;
}

int Operation::come(StepId id, std::size_t bytes) {
  const StepId reduction = task_.plan->reductions[static_cast<std::size_t>(id)].step;
  const Step& reduced = step(reduction);
  const Count end = static_cast<Count>(bytes) / block(reduced.to.buffer).element.bytes;
  const Count begin = std::exchange(reduced_[static_cast<std::size_t>(reduction)], end);
  const FloatingPointScope as_begun(floating_point_);
  return reduce_part(reduced, {begin, end - begin});
}

bool Operation::take(StepId id, std::size_t first, std::span<const std::byte> data) {
  const auto& [reduction, is_last_use] = task_.plan->reductions[static_cast<std::size_t>(id)];
  if (!is_last_use || block(step(reduction).to.buffer).element.per_element != 1) return false;
  const Step& reduced = step(reduction);
  const Block& to = block(reduced.to.buffer);
  const auto element = static_cast<std::size_t>(to.element.bytes);
  Count& done = reduced_[static_cast<std::size_t>(reduction)];
  // Not where part of an element has come before, to where it belongs.
  const bool is_next = first == static_cast<std::size_t>(done) * element;
  const Addition add = addition(task_.binding.op, to.element.type, to.element.bytes);
  if (add == nullptr || !is_next || data.size() % element != 0) return false;
  const auto at = [&](const Region& region) {
    return static_cast<std::byte*>(block(region.buffer).at(region.span.offset + done));
  };
  const bool is_left = reduced.from == step(id).to;
  std::byte* const sum = at(reduced.to);
  const FloatingPointScope as_begun(floating_point_);
  add(is_left ? data.data() : at(reduced.from), is_left ? sum : data.data(), sum, data.size());
  done += static_cast<Count>(data.size() / element);
  return true;
}

// Some of its elements.
int Operation::reduce_part(const Step& step, const Span& part) const {
  const auto piece = [&](const Region& region) {
    return block(region.buffer).piece({region.span.offset + part.offset, part.count});
  };
  if (part.count == 0) return MPI_SUCCESS;
  return combine(step, piece(step.from), piece(step.to));
}

int Operation::combine(const Step& step, const Piece& from, const Piece& to) const {
  if (!without_mpi) return reduce(from, to, task_.binding.op);
  if (to.bytes == 0) return MPI_SUCCESS;
  const Element& element = block(step.to.buffer).element;
  const Addition add =
      addition(task_.binding.op, element.type, element.bytes / element.per_element);
  if (add == nullptr) return MPI_ERR_INTERN;  // such are not begun so
  auto* const sum = static_cast<std::byte*>(to.address);
  add(static_cast<const std::byte*>(from.address), sum, sum, static_cast<std::size_t>(to.bytes));
  return MPI_SUCCESS;
}

}  // namespace stretto
