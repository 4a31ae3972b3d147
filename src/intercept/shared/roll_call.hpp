// Do all ranks of MPI_COMM_WORLD run this Stretto? One that does not (a part of the job that is
// linked statically, a wrapper that clears LD_PRELOAD) would take part in none of what the others
// agree on, so they must know before they send a message. No message of the MPI's can ask
// it: a rank without Stretto would find it among the program's. `stretto run` can
// (docs/decisions/0025-roll-call.md).
#pragma once

namespace stretto::intercept {

struct RollCall {
  bool all = false;  // of them run it, and the settings that must be equal are
  int line = -1;     // the connection to `stretto run`, this process's to close; -1: none
};

// After MPI_Init, on every rank that runs Stretto; `mode` is what its library does. Returns within
// half a minute, with the same on all of them; where nobody knows, this process ends with one
// line and exit code 5. One rank alone asks nobody.
[[nodiscard]] RollCall call_roll(const char* mode, int rank, int size);

// Known before MPI_Init: may it say of a job of several ranks that all of them do?
[[nodiscard]] bool answers_for_several();

// The same of MPI_COMM_WORLD, for who keeps no line.
[[nodiscard]] bool is_everywhere(const char* mode);

}  // namespace stretto::intercept
