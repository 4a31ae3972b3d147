#include "schedule/cost.hpp"

#include <algorithm>
#include <queue>

#include "schedule/step_graph.hpp"

namespace stretto {
namespace {

void count_rank(const Schedule& schedule, Cost& total) {
  std::int64_t messages = 0;
  Count sent = 0;
  Count received = 0;
  Count reduced = 0;
  for (const Step& step : schedule.steps) {
    switch (step.kind) {
      case StepKind::send:
        ++messages;
        sent += step.from.span.count;
        break;
      case StepKind::recv:
        received += step.to.span.count;
        break;
      case StepKind::reduce:
        reduced += step.to.span.count;
        break;
      case StepKind::copy:
        break;
    }
  }
  total.messages += messages;
  total.elements += sent;
  total.max_messages = std::max(total.max_messages, messages);
  total.max_sent = std::max(total.max_sent, sent);
  total.max_received = std::max(total.max_received, received);
  total.max_reduced = std::max(total.max_reduced, reduced);
  total.max_scratch = std::max(total.max_scratch, schedule.scratch);
}

// Follows the waits and messages through all ranks, as if ports were without limit.
std::int64_t longest_message_chain(const StepGraph& graph) {
  std::vector<std::int64_t> chain(graph.total());  // messages up to the end of each step
  std::vector<std::int32_t> waits_left(graph.total());
  std::vector<bool> started(graph.total());
  std::queue<GlobalStep> ready;
  for (GlobalStep id = 0; id < graph.total(); ++id) {
    waits_left[id] = graph.step(id).waits;
    if (waits_left[id] == 0) ready.push(id);
  }
  std::int64_t longest = 0;
  const auto complete = [&](GlobalStep id, std::int64_t messages) {
    chain[id] = messages;
    longest = std::max(longest, messages);
    for (const GlobalStep dependent : graph.dependents(id)) {
      chain[dependent] = std::max(chain[dependent], messages);
      if (--waits_left[dependent] == 0) ready.push(dependent);
    }
  };
  while (!ready.empty()) {
    const GlobalStep id = ready.front();
    ready.pop();
    const GlobalStep mate = graph.mate(id);
    started[id] = true;
    if (mate == kNoMate) {
      complete(id, chain[id]);
    } else if (started[mate]) {
      const std::int64_t messages = std::max(chain[id], chain[mate]) + 1;
      complete(id, messages);
      complete(mate, messages);
    }
  }
  return longest;
}

std::vector<LevelTraffic> count_levels(std::span<const Schedule> ranks, const Layout& layout) {
  if (layout.levels().empty()) return {};
  std::vector<LevelTraffic> levels;
  for (const LayoutLevel& level : layout.levels()) levels.push_back({level.name()});
  levels.push_back({"network"});
  for (const Schedule& schedule : ranks) {
    for (const Step& step : schedule.steps) {
      if (step.kind != StepKind::send) continue;
      LevelTraffic& level = levels[layout.level_between(schedule.rank, step.peer)];
      ++level.messages;
      level.elements += step.from.span.count;
    }
  }
  return levels;
}

}  // namespace

Cost cost(std::span<const Schedule> ranks, const Layout& layout) {
  Cost total{.levels = count_levels(ranks, layout)};
  for (const Schedule& schedule : ranks) count_rank(schedule, total);
  total.rounds = longest_message_chain(StepGraph(ranks));
  total.alpha = simulate(ranks, {.alpha = 1}).end;
  total.beta = simulate(ranks, {.beta = 1}).end;
  total.gamma = simulate(ranks, {.gamma = 1}).end;
  return total;
}

}  // namespace stretto
