// The parts of a schedule as JSON, shared by `show` and `cost`.
#pragma once

#include "base/json.hpp"
#include "programs/schedule/arguments.hpp"
#include "schedule/cost.hpp"

namespace stretto::programs {

// The fields that say what was asked for.
void write_request(Json& json, const Request& request);
void write_cost(Json& json, const Cost& cost);
void write_step(Json& json, const Schedule& schedule, StepId id, const Interval& when);

}  // namespace stretto::programs
