// Runs all ranks' schedules together on symbols.
#pragma once

#include "schedule/step_graph.hpp"
#include "schedule/verify_words.hpp"

namespace stretto {

// Deadlock, reading what nobody wrote, wrong reductions, wrong results. The
// schedules must have passed check_structure, check_races and check_messages.
[[nodiscard]] std::optional<Fault> check_run(const Proof& proof, const StepGraph& graph);

}  // namespace stretto
