// Which algorithm is the fastest on a machine, by the times its file says it takes.
#pragma once

#include <vector>

#include "collectives/network.hpp"
#include "selection/selection.hpp"

namespace stretto {

// Every algorithm that may run the call, with each segment size and radix that is worth a try.
[[nodiscard]] std::vector<Choice> options(const Query& query);

// About how long the call takes that way among the first ranks of the machine, in ns.
[[nodiscard]] double time_of(const Choice& choice, const Query& query, const Network& network);

[[nodiscard]] Choice fastest(const Query& query, const Machine& machine);

}  // namespace stretto
