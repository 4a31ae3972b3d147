#include "engine/operation.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>

namespace stretto {
namespace {

std::vector<Piece> packed_parts(std::byte* memory, const std::vector<Count>& parts) {
  std::vector<Piece> pieces;
  for (const Count bytes : parts) {
    pieces.push_back(Block{memory, Element::packed(bytes)}.piece({0, 1}));
    memory += bytes;
  }
  return pieces;
}

// MPIs send this much unasked over most networks: Open MPI's limit is 64 KiB over TCP.
constexpr Count kShortMessage = Count{32} * 1024;

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
      input_(binding.input),
      staging_(staging),
      waits_left_(plan_->schedule.steps.size()),
      steps_left_(static_cast<std::int32_t>(plan_->schedule.steps.size())) {
  if (binding.scratch_parts.empty()) {
    scratch_memory_ = Storage(binding.scratch, plan_->schedule.scratch);
    scratch_ = {scratch_memory_.base(), binding.scratch};
  } else if (plan_->schedule.scratch > 0) {
    const auto& parts = binding.scratch_parts;
    const Count bytes = std::reduce(parts.begin(), parts.end());
    scratch_memory_ = Storage(Element::bytes_of(1), bytes);
    scratch_.parts = packed_parts(static_cast<std::byte*>(scratch_memory_.base()), parts);
  }
  if (staging_) {
    staged_ = Storage(Element::bytes_of(1), staging_->user.element.bytes);
    recv_.base = staged_.base();
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
  if (step.kind == StepKind::send) return block(step.from.buffer).piece(step.from.span).bytes;
  if (step.kind == StepKind::recv) return block(step.to.buffer).piece(step.to.span).bytes;
  return 0;
}

Operation::~Operation() { --comm_.operations; }

void Operation::start(MpiTransport& transport) {
  if (staging_ && staging_->packs) {
    const int error = copy(user_piece(*staging_), packed_piece(*staging_), comm_.channel);
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
  int error = MPI_SUCCESS;
  switch (step.kind) {
    case StepKind::send: {
      const Piece data = from.piece(step.from.span);
      error = transport.post_send(data.address, data.count, data.type,
                                  {comm_.channel, step.peer, tag}, {this, id});
      break;
    }
    case StepKind::recv: {
      const Piece data = to.piece(step.to.span);
      error = transport.post_recv(data.address, data.count, data.type,
                                  {comm_.channel, step.peer, tag}, {this, id});
      break;
    }
    case StepKind::copy:
      error = copy(from.piece(step.from.span), to.piece(step.to.span), comm_.channel);
      break;
    case StepKind::reduce: {
      const Piece sum = to.piece(step.to.span);
      error = native().Reduce_local(from.piece(step.from.span).address, sum.address, sum.count,
                                    sum.type, op_);
      break;
    }
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
    error_ = copy(packed_piece(*staging_), user_piece(*staging_), comm_.channel);
  }
  done_.store(true, std::memory_order_release);
}

bool Operation::uses_type(MPI_Datatype type) const {
  const auto has = [type](const Block& block) {
    return block.element.type == type ||
           std::any_of(block.parts.begin(), block.parts.end(),
                       [type](const Piece& part) { return part.type == type; });
  };
  return has(send_) || has(recv_) || has(scratch_) || (staging_ && has(staging_->user));
}

// The program's buffer, and the receive buffer as the packed form of it.
Piece Operation::user_piece(const Staging& staging) { return staging.user.piece({0, 1}); }
Piece Operation::packed_piece(const Staging& staging) const {
  return Block{recv_.base, Element::packed(staging.user.element.bytes)}.piece({0, 1});
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
