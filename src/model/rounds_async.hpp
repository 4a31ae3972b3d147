// Round-structured schedules whose ranks drift apart on shared links.
#pragma once

#include "model/contention.hpp"
#include "model/rounds.hpp"

namespace stretto::model {

// Each rank goes through its rounds as its messages come. Messages that wait for others take their
// turns in the order of time, the lower rank first; `links` are free from the start, and every cost
// takes time. False where a receive overtakes its own rank's send; the ends are clocks.cpu.
[[nodiscard]] bool run_async(const std::vector<Round>& rounds, const Costs& costs,
                             SharedLinks links, const std::vector<double>& arrivals,
                             Clocks& clocks);

}  // namespace stretto::model
