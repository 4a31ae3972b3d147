// Runs GOAL schedules on a scenario's machine.
#include <numeric>

#include "model/events.hpp"
#include "replay/goal.hpp"

namespace stretto::replay {

std::vector<double> run_goal(const Goal& goal, const model::Scenario& scenario) {
  // What a rank calculates is a copy of as many elements as it takes ns.
  Machine machine = scenario.machine;
  machine.copy = 0;
  machine.copy_per_byte = scenario.computing;
  for (Level& level : machine.levels) {
    const double factor = scenario.point_to_point;
    for (double* each : {&level.link_per_byte, &level.medium_per_byte, &level.added_latency}) {
      *each *= factor;
    }
    for (CostPiece& piece : level.pieces) {
      for (double* each : {&piece.latency, &piece.send_overhead, &piece.recv_overhead,
                           &piece.overhead_per_byte, &piece.gap, &piece.gap_per_byte}) {
        *each *= factor;
      }
    }
  }
  model::Costs costs(machine, 1, 0);
  model::Program program;
  for (const Schedule& each : goal.ranks) program.add(each, costs);
  program.finish();
  const std::vector<double> arrivals(goal.ranks.size());
  try {
    const auto outcome =
        model::run_events(std::move(program), costs, machine, {.arrivals = arrivals});
    return {outcome.ends.begin(), outcome.ends.end()};
  } catch (const model::Circle&) {
    throw BadGoal("ranks wait for each other's messages in a circle");
  }
}

}  // namespace stretto::replay
