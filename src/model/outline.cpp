#include "model/outline.hpp"

#include <algorithm>
#include <map>
#include <numeric>

#include "model/forms.hpp"

namespace stretto::model {
namespace {

bool is_work(const Step& step) {
  return (step.kind == StepKind::copy || step.kind == StepKind::reduce) && !joins(step);
}

// Where a step is: of which node, and as which of its members.
struct Position {
  std::int32_t node = 0;
  std::int32_t member = 0;
};

// A counting sort of the waits by what is waited for.
void list_awaited(Outline& outline) {
  outline.first_awaited.assign(outline.nodes.size() + 1, 0);
  for (const Outline::Wait& wait : outline.waits) {
    ++outline.first_awaited[static_cast<std::size_t>(wait.node)];
  }
  std::partial_sum(outline.first_awaited.begin(), outline.first_awaited.end(),
                   outline.first_awaited.begin());
  outline.awaited.resize(outline.waits.size());
  // Moves each end back to the first.
  for (const Outline::Wait& wait : outline.waits) {
    std::int32_t& place = outline.first_awaited[static_cast<std::size_t>(wait.node)];
    outline.awaited[static_cast<std::size_t>(--place)] = wait.done;
  }
}

}  // namespace

Outline outline_of(const Schedule& schedule) {
  Outline outline;
  std::vector<Position> positions;
  positions.reserve(schedule.steps.size());
  std::map<std::vector<StepId>, std::int32_t> nodes;  // of works, by what they wait for
  for (StepId id = 0; id < static_cast<StepId>(schedule.steps.size()); ++id) {
    const Step& step = schedule.steps[static_cast<std::size_t>(id)];
    auto node = static_cast<std::int32_t>(outline.nodes.size());
    if (is_work(step)) {
      const auto waits = schedule.waits_of(step);
      node = nodes.try_emplace({waits.begin(), waits.end()}, node).first->second;
    }
    if (node == static_cast<std::int32_t>(outline.nodes.size())) {
      outline.nodes.push_back({.first = id});
    }
    positions.push_back({node, outline.nodes[static_cast<std::size_t>(node)].size++});
  }
  std::int32_t members = 0;
  for (Outline::Node& node : outline.nodes) {
    node.first_member = members;
    members += node.size;
  }
  outline.members.resize(schedule.steps.size());
  for (std::size_t id = 0; id < positions.size(); ++id) {
    const Outline::Node& node = outline.nodes[static_cast<std::size_t>(positions[id].node)];
    const std::int32_t at = node.first_member + positions[id].member;
    outline.members[static_cast<std::size_t>(at)] = static_cast<StepId>(id);
  }
  for (Outline::Node& node : outline.nodes) {
    node.first_wait = static_cast<std::int32_t>(outline.waits.size());
    std::map<std::int32_t, std::int32_t> last;  // member awaited, by node
    for (const StepId wait :
         schedule.waits_of(schedule.steps[static_cast<std::size_t>(node.first)])) {
      const Position& position = positions[static_cast<std::size_t>(wait)];
      std::int32_t& done = last[position.node];
      done = std::max(done, position.member + 1);
    }
    for (const auto& [awaited, done] : last) outline.waits.push_back({awaited, done});
    node.waits = static_cast<std::int32_t>(last.size());
  }
  list_awaited(outline);
  return outline;
}

}  // namespace stretto::model
