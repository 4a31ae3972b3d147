#include "model/program.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <numeric>
#include <stdexcept>

namespace stretto::model {

namespace {

constexpr auto kNoBundle = static_cast<CostId>(-1);

}  // namespace

void Program::add(const Schedule& schedule, Costs& costs) {
  const auto rank = static_cast<Rank>(ends_.size());
  const auto first = static_cast<OpId>(ops_.size());
  constexpr std::uint32_t kMostSteps = 1U << 29;  // of a rank: ProgramOp::step
  if (schedule.steps.size() >= std::numeric_limits<OpId>::max() - ops_.size() ||
      schedule.steps.size() >= kMostSteps) {
    throw std::length_error("more than 2^31 steps");
  }
  Known& known = known_.of(schedule, [](const Schedule& all) {
    Known made{.outline = outline_of(all)};
    made.bundles.assign(made.outline.nodes.size(), kNoBundle);
    return made;
  });
  for (std::size_t i = 0; i < known.outline.nodes.size(); ++i) {
    const Outline::Node& node = known.outline.nodes[i];
    const Step& step = schedule.steps[static_cast<std::size_t>(node.first)];
    ProgramOp op = op_of(step, rank, static_cast<OpId>(ops_.size()), costs);
    if (node.size > 1) {
      op.kind = ProgramOpKind::works;
      op.cost = bundle_of(known, i, schedule, costs);
    }
    op.step = static_cast<std::uint32_t>(node.first) & (kMostSteps - 1);
    op.waits += node.waits;
    ops_.push_back(op);
    for (const Outline::Wait& wait : known.outline.waits_of(node)) {
      waits_.push_back(first + wait.node);
    }
  }
  ends_.push_back(static_cast<OpId>(ops_.size()));
}

// But for its step, and what it waits for within its rank.
ProgramOp Program::op_of(const Step& step, Rank rank, OpId id, Costs& costs) {
  ProgramOp op{.rank = rank};
  if (step.kind == StepKind::send) {
    op.kind = ProgramOpKind::send;
    op.cost = costs.message(rank, step.peer, step.from.span.count);
    op.mate = matching_.meet(rank, step.peer, step.ordinal, id);
    ++messages_;
  } else if (step.kind == StepKind::recv) {
    op.kind = ProgramOpKind::recv;
    op.cost = costs.message(step.peer, rank, step.to.span.count);
    op.waits = 1;
    const OpId send = matching_.meet(step.peer, rank, step.ordinal, id);
    if (send != kNoOp) ops_[static_cast<std::size_t>(send)].mate = id;
  } else {
    op.kind = ProgramOpKind::work;
    op.cost = costs.work(step.kind, step.from.span.count);
  }
  return op;
}

CostId Program::bundle_of(Known& known, std::size_t node, const Schedule& schedule, Costs& costs) {
  const auto members = known.outline.members_of(known.outline.nodes[node]);
  const auto cost_of = [&](StepId id) {
    const Step& step = schedule.steps[static_cast<std::size_t>(id)];
    return costs.work(step.kind, step.from.span.count);
  };
  CostId& last = known.bundles[node];
  if (last != kNoBundle &&
      std::equal(members.begin(), members.end(), bundles_[last].costs.begin(),
                 [&](StepId id, CostId cost) { return cost_of(id) == cost; })) {
    return last;
  }
  last = static_cast<CostId>(bundles_.size());
  Bundle& bundle = bundles_.emplace_back();
  bundle.steps.assign(members.begin(), members.end());
  std::transform(members.begin(), members.end(), std::back_inserter(bundle.costs), cost_of);
  // Dependents come the last one first (see list_dependents).
  const auto awaited = known.outline.awaited_of(node);
  bundle.awaited.assign(awaited.begin(), awaited.end());
  return last;
}

void Program::finish() {
  if (matching_.alone() != 0) throw std::logic_error("a message has one end only");
  matching_ = {};
  const Places places = places_by_step();
  move_to(places);
  list_dependents(places);
  waits_ = decltype(waits_)();  // `= {}` would keep its memory
  known_ = {};
}

Program::Places Program::places_by_step() const {
  const auto steps_of = [&](std::size_t rank) {
    return static_cast<std::size_t>(ends_[rank] - (rank == 0 ? 0 : ends_[rank - 1]));
  };
  std::vector<OpId> next;  // place for a step of each number
  for (std::size_t rank = 0; rank < ends_.size(); ++rank) {
    const std::size_t steps = steps_of(rank);
    if (next.size() < steps) next.resize(steps);
    for (std::size_t step = 0; step < steps; ++step) ++next[step];
  }
  std::exclusive_scan(next.begin(), next.end(), next.begin(), OpId{0});
  Places places;
  places.reserve(ops_.size());
  for (std::size_t rank = 0; rank < ends_.size(); ++rank) {
    const std::size_t steps = steps_of(rank);
    for (std::size_t step = 0; step < steps; ++step) places.push_back(next[step]++);
  }
  return places;
}

void Program::move_to(const Places& places) {
  // One beyond the last, whose dependents end where it begins.
  LargeVector<ProgramOp> moved(ops_.size() + 1);
  for (std::size_t id = 0; id < ops_.size(); ++id) {
    ProgramOp& op = moved[static_cast<std::size_t>(places[id])] = ops_[id];
    if (op.mate != kNoOp) op.mate = places[static_cast<std::size_t>(op.mate)];
  }
  ops_.swap(moved);
}

// A counting sort of the waits by what is waited for.
void Program::list_dependents(const Places& places) {
  const auto for_each_wait = [&](auto visit) {
    auto wait = waits_.begin();
    for (const OpId id : places) {
      const ProgramOp& op = at(id);
      const std::int32_t messages = op.kind == ProgramOpKind::recv ? 1 : 0;
      for (auto left = op.waits - messages; left > 0; --left) {
        visit(at(places[static_cast<std::size_t>(*wait++)]), id);
      }
    }
  };
  for_each_wait([](ProgramOp& awaited, OpId) { ++awaited.first_dependent; });
  OpId end = 0;
  for (ProgramOp& op : ops_) {
    end += op.first_dependent;
    op.first_dependent = end;  // moves back to the first as they are filled in
  }
  dependents_.resize(static_cast<std::size_t>(end));
  for_each_wait([&](ProgramOp& awaited, OpId id) {
    dependents_[static_cast<std::size_t>(--awaited.first_dependent)] = id;
  });
}

}  // namespace stretto::model
