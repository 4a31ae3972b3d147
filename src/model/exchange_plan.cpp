#include "model/exchange_plan.hpp"

#include <stdexcept>

#include "selection/fastest.hpp"

namespace stretto::model {

ExchangePlan exchange_plan(Collective collective, int ranks,
                           const std::shared_ptr<const Graph>& graph, Rank me) {
  const auto choices = options({.collective = collective, .size = ranks, .bytes = 1}, 0);
  // Blocks of one element each: where one begins is its number.
  const Shape shape{.collective = collective, .size = ranks, .count = 1, .graph = graph};
  const Schedule schedule = choices.front().algorithm->build(shape, Layout(), me);
  ExchangePlan plan;
  for (const Step& step : schedule.steps) {
    if (step.waits > 0) throw std::logic_error("neighbours' blocks wait for each other");
    if (step.kind == StepKind::recv) {
      ++plan.from;
    } else {
      const Rank to = step.kind == StepKind::send ? step.peer : me;
      plan.blocks.push_back({to, static_cast<int>(step.from.span.offset)});
    }
  }
  return plan;
}

}  // namespace stretto::model
