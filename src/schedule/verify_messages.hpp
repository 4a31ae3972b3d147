// Every send has its receive, with as many elements.
#pragma once

#include "schedule/step_graph.hpp"
#include "schedule/verify_words.hpp"

namespace stretto {

// A message without its other end, or with another count there.
[[nodiscard]] std::optional<Fault> check_messages(const Proof& proof, const StepGraph& graph);

}  // namespace stretto
