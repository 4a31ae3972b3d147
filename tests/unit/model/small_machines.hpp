// Machines for the tests of the model, and the two engines side by side.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/events.hpp"
#include "model/rounds.hpp"
#include "model/scenario.hpp"

namespace stretto::model {

inline Machine machine_of(const std::string& description) { return read_machine(description); }

inline Scenario on(Machine machine) { return {.machine = std::move(machine)}; }

// One level, copies and reductions free.
inline Machine uniform(double latency, double overhead, double gap, double gap_per_byte) {
  const CostPiece piece{.latency = latency,
                        .send_overhead = overhead,
                        .recv_overhead = overhead,
                        .gap = gap,
                        .gap_per_byte = gap_per_byte};
  return {.name = "uniform", .levels = {{.name = "all", .pieces = {piece}}}};
}

// LogGOPSim's default parameters.
inline Machine loggopsim() { return uniform(2500, 1500, 1000, 6); }

inline Conditions all_at_once(std::size_t ranks) {
  return {.arrivals = std::vector<double>(ranks)};
}

inline Outcome by_events(const std::vector<Schedule>& ranks, const Machine& machine,
                         const Conditions& conditions, std::int64_t element_bytes,
                         std::int64_t signal_bytes = 0) {
  Costs costs(machine, element_bytes, signal_bytes);
  Program program;
  for (const Schedule& schedule : ranks) program.add(schedule, costs);
  program.finish();
  return run_events(program, costs, machine, conditions);
}

inline std::optional<Outcome> by_rounds(const std::vector<Schedule>& ranks, const Machine& machine,
                                        const Conditions& conditions, std::int64_t element_bytes,
                                        std::int64_t signal_bytes = 0) {
  Costs costs(machine, element_bytes, signal_bytes);
  Rounds rounds(static_cast<int>(ranks.size()));
  for (const Schedule& schedule : ranks) {
    if (!rounds.add(schedule, costs)) return {};
  }
  if (!rounds.finish()) return {};
  return rounds.run(costs, machine, conditions.arrivals);
}

}  // namespace stretto::model
