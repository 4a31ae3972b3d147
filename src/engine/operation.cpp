#include "engine/operation.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace stretto {
namespace {

// Bytes before and after the first element's address that `count` elements of a type
// touch: a type may begin below its address (negative lower bound) or reach past its
// extent.
struct Footprint {
  MPI_Aint below = 0;
  MPI_Aint bytes = 0;
};

Footprint footprint(const Element& element, Count count) {
  if (count == 0) return {};
  if (element.plain) return {0, static_cast<MPI_Aint>(count) * element.stride};
  MPI_Aint lower_bound = 0;
  MPI_Aint extent = 0;
  native().Type_get_true_extent(element.type, &lower_bound, &extent);
  const MPI_Aint last = static_cast<MPI_Aint>(count) * element.stride - element.stride;
  const MPI_Aint low = std::min<MPI_Aint>(0, last) + lower_bound;
  const MPI_Aint high = std::max<MPI_Aint>(0, last) + lower_bound + extent;
  return {-low, high - low};
}

// MPIs send this much unasked over most networks: Open MPI's limit is 64 KiB over TCP.
constexpr Count kShortMessage = Count{32} * 1024;

constexpr MPI_Aint kAlignment = alignof(std::max_align_t);
MPI_Aint aligned(MPI_Aint bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

int tag(const std::vector<std::uint32_t>& base, const Step& step) {
  const std::uint32_t next =
      base[static_cast<std::size_t>(step.peer)] + static_cast<std::uint32_t>(step.ordinal);
  return static_cast<int>(next & Communicator::kTagMask);
}

}  // namespace

Operation::Operation(std::shared_ptr<const Plan> plan, Communicator& comm, const Binding& binding,
                     const std::optional<Staging>& staging)
    : plan_(std::move(plan)),
      comm_(comm),
      send_(binding.send),
      recv_(binding.recv),
      op_(binding.op),
      staging_(staging),
      waits_left_(plan_->schedule.steps.size()),
      steps_left_(static_cast<std::int32_t>(plan_->schedule.steps.size())) {
  const Footprint scratch = footprint(binding.scratch, plan_->schedule.scratch);
  const MPI_Aint staged = staging_ ? staging_->user.element.bytes : 0;
  if (scratch.bytes + staged > 0) {
    const MPI_Aint offset = aligned(scratch.bytes);
    memory_ =
        std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(offset + staged));
    scratch_ = {memory_.get() + scratch.below, binding.scratch};
    if (staging_) recv_.base = memory_.get() + offset;
  }
  tags_.resize(waits_left_.size());
  for (std::size_t s = 0; s < waits_left_.size(); ++s) {
    const Step& step = plan_->schedule.steps[s];
    waits_left_[s] = step.waits;
    if (step.kind == StepKind::send) tags_[s] = tag(comm.next_send_tag, step);
    if (step.kind == StepKind::recv) tags_[s] = tag(comm.next_recv_tag, step);
    if (message_bytes(step) > kShortMessage) all_short_ = false;
  }
  ready_.reserve(waits_left_.size());
  ready_ = plan_->ready;
  comm.advance_tags(*plan_);
  ++comm.operations;
}

Count Operation::message_bytes(const Step& step) const {
  if (step.kind == StepKind::send)
    return step.from.span.count * block(step.from.buffer).element.bytes;
  if (step.kind == StepKind::recv) return step.to.span.count * block(step.to.buffer).element.bytes;
  return 0;
}

Operation::~Operation() { --comm_.operations; }

void Operation::start(MpiTransport& transport) {
  if (staging_ && staging_->packs) {
    const int error = copy_elements(staging_->user, 0, packed_form(*staging_), 0, 1, comm_.channel);
    if (error != MPI_SUCCESS) fail(transport, error);
  }
  run_ready(transport);
}

void Operation::step_done(MpiTransport& transport, StepId step, int error) {
  --in_flight_;
  if (error != MPI_SUCCESS) {
    fail(transport, error);
  } else {
    complete(step);
  }
  run_ready(transport);
}

void Operation::run_ready(MpiTransport& transport) {
  while (next_ready_ < ready_.size() && error_ == MPI_SUCCESS) {
    const StepId id = ready_[next_ready_++];
    if (run(transport, id)) complete(id);
  }
  finish_if_over();
}

bool Operation::run(MpiTransport& transport, StepId id) {
  const Step& step = plan_->schedule.steps[static_cast<std::size_t>(id)];
  const Block& from = block(step.from.buffer);
  const Block& to = block(step.to.buffer);
  const int tag = tags_[static_cast<std::size_t>(id)];
  const auto elements = [](const Block& buffer, const Region& region) {
    return static_cast<int>(region.span.count) * buffer.element.per_element;
  };
  int error = MPI_SUCCESS;
  switch (step.kind) {
    case StepKind::send:
      error = transport.post_send(from.at(step.from.span.offset), elements(from, step.from),
                                  from.element.type, {comm_.channel, step.peer, tag}, {this, id});
      break;
    case StepKind::recv:
      error = transport.post_recv(to.at(step.to.span.offset), elements(to, step.to),
                                  to.element.type, {comm_.channel, step.peer, tag}, {this, id});
      break;
    case StepKind::copy:
      error = copy_elements(from, step.from.span.offset, to, step.to.span.offset,
                            step.to.span.count, comm_.channel);
      break;
    case StepKind::reduce:
      error = native().Reduce_local(from.at(step.from.span.offset), to.at(step.to.span.offset),
                                    elements(to, step.to), to.element.type, op_);
      break;
  }
  if (error != MPI_SUCCESS) {
    fail(transport, error);
    return false;
  }
  const bool message = step.kind == StepKind::send || step.kind == StepKind::recv;
  if (message) ++in_flight_;
  return !message;
}

void Operation::complete(StepId id) {
  --steps_left_;
  const auto step = static_cast<std::size_t>(id);
  for (auto d = plan_->first_dependent[step]; d < plan_->first_dependent[step + 1]; ++d) {
    const StepId dependent = plan_->dependents[static_cast<std::size_t>(d)];
    if (--waits_left_[static_cast<std::size_t>(dependent)] == 0) ready_.push_back(dependent);
  }
}

void Operation::fail(MpiTransport& transport, int error) {
  if (error_ != MPI_SUCCESS) return;  // the first one counts
  error_ = error;
  transport.cancel_receives(this);
}

void Operation::finish_if_over() {
  const bool over = error_ == MPI_SUCCESS ? steps_left_ == 0 : in_flight_ == 0;
  if (!over || done()) return;
  if (staging_ && !staging_->packs && error_ == MPI_SUCCESS) {
    error_ = copy_elements(packed_form(*staging_), 0, staging_->user, 0, 1, comm_.channel);
  }
  done_.store(true, std::memory_order_release);
}

// The receive buffer as the packed form of the one element the program's buffer is.
Block Operation::packed_form(const Staging& staging) const {
  return {recv_.base, Element::packed(staging.user.element.bytes)};
}

const Block& Operation::block(Buffer buffer) const {
  switch (buffer) {
    case Buffer::send:
      return send_;
    case Buffer::recv:
      return recv_;
    case Buffer::scratch:
      break;
  }
  return scratch_;
}

}  // namespace stretto
