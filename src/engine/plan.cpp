#include "engine/plan.hpp"

#include <utility>

namespace stretto {
namespace {

// About 100 bytes a step: the cache stays under some 50 MB a process.
constexpr std::size_t kMostCachedSteps = 500'000;

std::vector<Plan::Traffic> traffic(const Schedule& schedule, StepKind kind) {
  std::vector<std::int32_t> messages(static_cast<std::size_t>(schedule.shape.size));
  for (const Step& step : schedule.steps) {
    if (step.kind == kind) ++messages[static_cast<std::size_t>(step.peer)];
  }
  std::vector<Plan::Traffic> result;
  for (std::size_t peer = 0; peer < messages.size(); ++peer) {
    if (messages[peer] > 0) result.push_back({static_cast<Rank>(peer), messages[peer]});
  }
  return result;
}

}  // namespace

Plan::Plan(const Algorithm& made_by, Schedule built)
    : schedule(std::move(built)),
      algorithm(&made_by),
      sent(traffic(schedule, StepKind::send)),
      received(traffic(schedule, StepKind::recv)) {
  const std::size_t steps = schedule.steps.size();
  first_dependent.assign(steps + 1, 0);
  for (const StepId awaited : schedule.waits) {
    ++first_dependent[static_cast<std::size_t>(awaited) + 1];
  }
  for (std::size_t s = 0; s < steps; ++s) first_dependent[s + 1] += first_dependent[s];

  dependents.resize(schedule.waits.size());
  std::vector<std::int32_t> next(first_dependent.begin(), first_dependent.end() - 1);
  for (std::size_t s = 0; s < steps; ++s) {
    const Step& step = schedule.steps[s];
    if (step.waits == 0) ready.push_back(static_cast<StepId>(s));
    for (const StepId awaited : schedule.waits_of(step)) {
      dependents[static_cast<std::size_t>(next[static_cast<std::size_t>(awaited)]++)] =
          static_cast<StepId>(s);
    }
  }
}

std::size_t PlanCache::Hash::operator()(const Key& key) const {
  std::size_t hash = reinterpret_cast<std::size_t>(key.algorithm);
  const auto mix = [&hash](auto value) {
    hash = (hash ^ static_cast<std::size_t>(value)) * 0x9e3779b97f4a7c15U;
    hash ^= hash >> 29;
  };
  mix(key.shape.size);
  mix(key.shape.count);
  mix(key.shape.segment);
  mix(key.shape.radix);
  mix(key.shape.root);
  mix((key.shape.in_place ? 2 : 0) + (key.shape.commutative ? 1 : 0));
  mix(key.me);
  return hash;
}

std::shared_ptr<const Plan> PlanCache::get(const Algorithm& algorithm, const Shape& shape,
                                           Rank me) {
  const Key key{&algorithm, shape, me};
  const std::lock_guard lock(mutex_);
  if (const auto found = known_.find(key); found != known_.end()) {
    recent_.splice(recent_.begin(), recent_, found->second);
    ++counts_.reused;
    return recent_.front().plan;
  }
  auto plan = std::make_shared<const Plan>(algorithm, algorithm.build(shape, me));
  ++counts_.built;
  recent_.push_front({key, plan});
  known_[key] = recent_.begin();
  steps_ += plan->schedule.steps.size();
  while (steps_ > kMostCachedSteps && recent_.size() > 1) {
    steps_ -= recent_.back().plan->schedule.steps.size();
    known_.erase(recent_.back().key);
    recent_.pop_back();
  }
  return plan;
}

PlanCache::Counts PlanCache::counts() const {
  const std::lock_guard lock(mutex_);
  return counts_;
}

}  // namespace stretto
