// Which algorithm is the fastest on a machine, by the times its file says it takes.
#pragma once

#include <vector>

#include "collectives/network.hpp"
#include "selection/selection.hpp"

namespace stretto {

// As `wanted`, or longer: a vector of so many bytes is in 16,384 segments at most, whose steps take
// 5 MB of a plan, and each is so many whole elements. 0 where one would be all of it.
[[nodiscard]] Count segment_for(Count wanted, Count bytes, Count element_bytes = 1);

// A reduction of a vector of fewer elements than ranks, which are so long that blocks of one each
// and of none would make the messages noticeably longer.
[[nodiscard]] bool is_indivisible(const Query& query);

// The algorithm computes what is asked, for so many ranks and blocks that differ, too.
[[nodiscard]] bool may_run(const Algorithm& algorithm, const Query& query);

// Every algorithm that may run the call and has a time to compare, with each segment size and radix
// that is worth a try. Those that go by the layout are there where ranks are on so many hosts, each
// host's in a block, and some share one; 0: it is not known which.
[[nodiscard]] std::vector<Choice> options(const Query& query, int hosts);

// About how long the call takes that way among the first ranks of the machine, in ns.
[[nodiscard]] double time_of(const Choice& choice, const Query& query, const Network& network);

// Among all options on so many hosts; 0: among those that do not go by the layout.
[[nodiscard]] Choice fastest(const Query& query, const Machine& machine, int hosts);

// Is what the MPIs run faster than the choice, but not Stretto's to run for blocks that
// differ or for so many ranks? The same on all ranks.
[[nodiscard]] bool has_better_elsewhere(const Query& query, const Choice& choice,
                                        const Machine& machine);

}  // namespace stretto
