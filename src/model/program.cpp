#include "model/program.hpp"

#include <limits>
#include <stdexcept>

namespace stretto::model {

void Program::add(const Schedule& schedule, Costs& costs) {
  const auto rank = static_cast<Rank>(first_op_.size());
  const auto first = static_cast<OpId>(ops_.size());
  if (schedule.steps.size() >= std::numeric_limits<OpId>::max() - ops_.size()) {
    throw std::length_error("more than 2^31 steps");
  }
  first_op_.push_back(first);
  for (const Step& step : schedule.steps) {
    const auto id = static_cast<OpId>(ops_.size());
    Op op{.rank = rank, .waits = step.waits};
    if (step.kind == StepKind::send) {
      op.kind = OpKind::send;
      op.cost = costs.message(rank, step.peer, step.from.span.count);
      op.mate = matching_.meet(rank, step.peer, step.ordinal, id);
      ++messages_;
    } else if (step.kind == StepKind::recv) {
      op.kind = OpKind::recv;
      op.cost = costs.message(step.peer, rank, step.to.span.count);
      ++op.waits;
      const OpId send = matching_.meet(step.peer, rank, step.ordinal, id);
      if (send != kNoOp) ops_[static_cast<std::size_t>(send)].mate = id;
    } else {
      op.kind = OpKind::work;
      op.cost = costs.work(step.kind, step.from.span.count);
    }
    ops_.push_back(op);
  }
  list_dependents(schedule, first);
}

// A counting sort of the waits by what is waited for.
void Program::list_dependents(const Schedule& schedule, OpId first) {
  const auto place = [&](StepId step) -> OpId& {
    return ops_[static_cast<std::size_t>(first) + static_cast<std::size_t>(step)].first_dependent;
  };
  const auto steps = static_cast<StepId>(schedule.steps.size());
  for (const Step& step : schedule.steps) {
    for (const StepId wait : schedule.waits_of(step)) ++place(wait);
  }
  auto end = static_cast<OpId>(dependents_.size());
  for (StepId step = 0; step < steps; ++step) {
    end += place(step);
    place(step) = end;  // moves back to the first as they are filled in
  }
  dependents_.resize(static_cast<std::size_t>(end));
  for (StepId step = steps - 1; step >= 0; --step) {
    for (const StepId wait : schedule.waits_of(schedule.steps[static_cast<std::size_t>(step)])) {
      dependents_[static_cast<std::size_t>(--place(wait))] = first + step;
    }
  }
}

void Program::finish() {
  if (matching_.alone() != 0) throw std::logic_error("a message has one end only");
  // One beyond the last, whose dependents end where it begins.
  ops_.push_back({.first_dependent = static_cast<OpId>(dependents_.size())});
  matching_ = {};
}

}  // namespace stretto::model
