// Who may run the calls of one kind, where the program's own calls are to find out who does best.
#pragma once

#include <string>
#include <vector>

#include "selection/selection.hpp"

namespace stretto {

// What runs the call without learning, the MPI, and the algorithms that are the fastest by their
// times, each once. The same on all ranks; a single one where there is nothing to find out.
[[nodiscard]] std::vector<Choice> contenders(const Query& query, const Surroundings& around,
                                             const Overrides& overrides);

// Between ranks that learn, calls of that collective have contenders.
[[nodiscard]] bool has_contenders(Collective collective, const Overrides& overrides);

// "native", "binomial", "chain segment=32768"
[[nodiscard]] std::string label_of(const Choice& choice);

}  // namespace stretto
