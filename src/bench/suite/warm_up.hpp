// When the calls of a cell have come to be alike, so that those that count may begin. An MPI may
// take another way after some calls on a communicator (MPICH does near the sixth).
#pragma once

#include <cstdint>
#include <span>

#include "bench/suite/plan.hpp"

namespace stretto::bench {

enum class CallsSoFar : std::uint8_t {
  too_few,   // to say anything
  changing,  // the last ones take another time than those before
  alike,
};

// Of what call after call took, in ns: the last quarter of them against the one before, by their
// medians. What differs by less than their noise explains, by 5 %, or by a clock's grain, is alike.
[[nodiscard]] CallsSoFar judge(std::span<const double> times_ns);

// How many calls are to be made before those that count, besides those that took so long; 0: they
// are alike, or more would cost more than a quarter of the cell's time. As nobody can see a switch
// that is yet to come, there are no fewer than 1,024 of which all take a tenth of that time at
// most, and no fewer than 64 otherwise: Intel MPI 2021.19 on one host spends some 25 us of every
// eighth call until about the 430th of a process, which no two medians show.
[[nodiscard]] int more_warm_up(std::span<const double> times_ns, std::int64_t spent_ns,
                               const Settings& settings);

}  // namespace stretto::bench
