// What `stretto tune` asks of a run: once MPI_Init is done the ways to run collectives that a plan
// names are measured in turn, by the entry points that a program calls, and the program ends.
#pragma once

namespace stretto::intercept::accelerate {

[[nodiscard]] bool is_to_tune();

// Once a session has begun. The folder that STRETTO_TUNE_FOLDER names holds `plan`, which rank 0
// reads:
//
//   rounds N
//   case COLLECTIVE BYTES           with what follows, up to the next one:
//   pattern NS NS ...               how late each rank is
//   way ALGORITHM SEGMENT RADIX     `native` is the MPI's own
//
// and gets `times.json`.
[[noreturn]] void tune();

}  // namespace stretto::intercept::accelerate
