// What the drop-in did with each call, told at MPI_Finalize.
#pragma once

#include <array>

#include "api/call.hpp"

namespace stretto::intercept {

inline constexpr int kEntryPoints = 16;  // the eight collectives, blocking and nonblocking
extern const std::array<const char*, kEntryPoints> kEntryPointNames;

namespace counters {

void count(int entry_point, const Choice& choice);

// STRETTO_VERBOSE=1: a summary of this rank's calls on rank 0's stderr.
// STRETTO_RUN_COUNTERS=<folder>: <folder>/rank-<rank>.json, on every rank.
void write_report();

}  // namespace counters
}  // namespace stretto::intercept
