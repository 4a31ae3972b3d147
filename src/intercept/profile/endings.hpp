// Signals that end a program: what a rank has recorded is written before they do.
#pragma once

namespace stretto::intercept::profile {

class Snapshots;

// Signals for which the program has a handler, or which it ignores, stay its own; so does what it
// sets later. Of several ranks in a process the first is watched. The thread that calls gets a
// stack for handlers, unless it has one or the program handles SIGSEGV: its own may have
// overflowed.
void watch_endings(Snapshots& snapshots);
// As if they had never been watched.
void leave_endings(Snapshots& snapshots);

// Does the thread that gets it do the same again, or end the process, when its handler returns?
[[nodiscard]] bool is_fault(int signal);
// SIGTERM and so on.
[[nodiscard]] const char* name_of(int signal);
// Ends this process by the signal, as it would have been.
void end_by(int signal);

// Is this the thread that writes snapshots? Nobody else could write one where it fails itself.
inline constinit thread_local bool is_snapshot_thread [[gnu::tls_model("initial-exec")]] = false;

}  // namespace stretto::intercept::profile
