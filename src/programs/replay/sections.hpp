// Where the time of a trace's ranks goes, as JSON.
#pragma once

#include <ostream>
#include <vector>

#include "replay/replay.hpp"

namespace stretto::programs {

// One line, of all ranks in the first scenario. Throws replay::Unmatched.
void write_sections(std::ostream& out, const trace::Trace& trace,
                    const std::vector<model::Scenario>& scenarios);

}  // namespace stretto::programs
