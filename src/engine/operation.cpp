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

}  // namespace

Operation::Operation(Task task)
    : task_(std::move(task)),
      waits_left_(task_.plan->schedule.steps.size()),
      steps_left_(static_cast<std::int32_t>(task_.plan->schedule.steps.size())) {
  const Plan& plan = *task_.plan;
  const std::vector<Count>& parts = task_.binding.scratch_parts;
  if (parts.empty()) {
    scratch_memory_ = Storage(task_.binding.scratch, plan.schedule.scratch);
    scratch_ = {scratch_memory_.base(), task_.binding.scratch};
  } else if (plan.schedule.scratch > 0) {
    const Count bytes = std::reduce(parts.begin(), parts.end());
    scratch_memory_ = Storage(Element::bytes_of(1), bytes);
    scratch_.parts = packed_parts(static_cast<std::byte*>(scratch_memory_.base()), parts);
  }
  for (std::size_t s = 0; s < waits_left_.size(); ++s) {
    const Step& step = plan.schedule.steps[s];
    waits_left_[s] = step.waits;
    if (message_bytes(step) > kShortMessage) all_short_ = false;
  }
  take_numbers();
  ready_.reserve(waits_left_.size());
  ready_ = plan.ready;
  ++comm().operations;
}

Count Operation::message_bytes(const Step& step) const {
  if (step.kind == StepKind::send) return block(step.from.buffer).piece(step.from.span).bytes;
  if (step.kind == StepKind::recv) return block(step.to.buffer).piece(step.to.span).bytes;
  return 0;
}

void Operation::take_numbers() {
  const Plan& plan = *task_.plan;
  courses_.reserve(plan.sent.size() + plan.received.size());
  const auto take = [this](Sequence& sequence, std::int32_t messages) {
    courses_.push_back({&sequence, sequence.take(static_cast<std::uint64_t>(messages))});
  };
  for (const auto& [peer, messages] : plan.sent) take(tags().to(task_.rank_of(peer)), messages);
  for (const auto& [peer, messages] : plan.received) {
    take(tags().from(task_.rank_of(peer)), messages);
  }
}

Operation::~Operation() {
  // The communicator may go as soon as nothing runs on it, and the tags are given back to it.
  task_.tags.reset();
  --comm().operations;
}

void Operation::start(MpiTransport& transport) {
  if (const auto& first = task_.binding.before) {
    const int error = copy(first->from, first->to, comm().channel);
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

void Operation::post_held_back(MpiTransport& transport) {
  std::vector<StepId> waiting;
  waiting.swap(held_back_);
  for (const StepId id : waiting) {
    if (error_ == MPI_SUCCESS) run(transport, id);
  }
  finish_if_over();
}

bool Operation::may_post(StepId id, const Step& step) {
  const Course& course =
      courses_[static_cast<std::size_t>(task_.plan->traffic_of[static_cast<std::size_t>(id)])];
  return course.sequence->may_post(course.first + static_cast<std::uint64_t>(step.ordinal),
                                   tags().width());
}

// The message of `step`, whose turn it is.
int Operation::post(MpiTransport& transport, StepId id, const Step& step) {
  const Course& course =
      courses_[static_cast<std::size_t>(task_.plan->traffic_of[static_cast<std::size_t>(id)])];
  const std::uint64_t number = course.first + static_cast<std::uint64_t>(step.ordinal);
  course.sequence->post(number);
  waits_left_[static_cast<std::size_t>(id)] = kPosted;
  const MpiTransport::Endpoint end{comm().channel, task_.channel_rank(step.peer),
                                   tags().tag(number)};
  if (step.kind == StepKind::send) {
    const Piece data = block(step.from.buffer).piece(step.from.span);
    return transport.post_send(data.address, data.count, data.type, end, {this, id});
  }
  const Piece data = block(step.to.buffer).piece(step.to.span);
  return transport.post_recv(data.address, data.count, data.type, end, {this, id});
}

bool Operation::run(MpiTransport& transport, StepId id) {
  const Step& step = task_.plan->schedule.steps[static_cast<std::size_t>(id)];
  const Block& from = block(step.from.buffer);
  const Block& to = block(step.to.buffer);
  int error = MPI_SUCCESS;
  switch (step.kind) {
    case StepKind::send:
    case StepKind::recv:
      if (!may_post(id, step)) {
        held_back_.push_back(id);
        return false;
      }
      error = post(transport, id, step);
      break;
    case StepKind::copy:
      error = copy(from.piece(step.from.span), to.piece(step.to.span), comm().channel);
      break;
    case StepKind::reduce: {
      const Piece sum = to.piece(step.to.span);
      error = native().Reduce_local(from.piece(step.from.span).address, sum.address,
                                    static_cast<int>(sum.count), sum.type, task_.binding.op);
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
  for (auto d = task_.plan->first_dependent[step]; d < task_.plan->first_dependent[step + 1]; ++d) {
    const StepId dependent = task_.plan->dependents[static_cast<std::size_t>(d)];
    if (--waits_left_[static_cast<std::size_t>(dependent)] == 0) ready_.push_back(dependent);
  }
}

void Operation::fail(MpiTransport& transport, int error) {
  if (error_ != MPI_SUCCESS) return;  // the first one counts
  error_ = error;
  transport.cancel_receives(this);
  // What is never posted now must not keep later operations waiting.
  held_back_.clear();
  const std::vector<Step>& steps = task_.plan->schedule.steps;
  for (std::size_t s = 0; s < steps.size(); ++s) {
    if (task_.plan->traffic_of[s] < 0 || waits_left_[s] == kPosted) continue;
    const Course& course = courses_[static_cast<std::size_t>(task_.plan->traffic_of[s])];
    course.sequence->post(course.first + static_cast<std::uint64_t>(steps[s].ordinal));
    waits_left_[s] = kPosted;
  }
}

void Operation::finish_if_over() {
  const bool over = error_ == MPI_SUCCESS ? steps_left_ == 0 : in_flight_ == 0;
  if (!over || done()) return;
  const auto& last = task_.binding.after;
  if (last && error_ == MPI_SUCCESS) error_ = copy(last->from, last->to, comm().channel);
  done_.store(true, std::memory_order_release);
}

bool uses_type(const Binding& binding, MPI_Datatype type) {
  const auto is_of = [type](const Piece& piece) { return piece.type == type; };
  const auto has = [&](const Block& block) {
    return block.element.type == type || std::ranges::any_of(block.parts, is_of);
  };
  const auto moves = [&](const std::optional<Binding::Copy>& copy) {
    return copy && (is_of(copy->from) || is_of(copy->to));
  };
  return has(binding.send) || has(binding.recv) || binding.scratch.type == type ||
         moves(binding.before) || moves(binding.after);
}

const Block& Operation::block(Buffer buffer) const {
  switch (buffer) {
    case Buffer::send:
      return task_.binding.send;
    case Buffer::recv:
      return task_.binding.recv;
    case Buffer::scratch:
      break;
  }
  return scratch_;
}

}  // namespace stretto
