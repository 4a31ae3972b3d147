// What MPI_THREAD_MULTIPLE costs, and when it need not be paid.
//
// The progress thread needs MPI_THREAD_MULTIPLE, but only while it may enter the
// MPI. Open MPI takes its locks only where its global `opal_uses_threads` is set;
// while nothing is pending in the background and the program itself asked for less
// than MPI_THREAD_MULTIPLE, no two threads are in the MPI and the flag can be
// lowered: an 8 B allreduce then costs what it costs at MPI_THREAD_SINGLE.
// See docs/decisions/0003-thread-level.md.
#pragma once

#include <optional>

namespace stretto {

// The level that this rank's program has, where the MPI has another as more was requested of it.
[[nodiscard]] std::optional<int> program_level();
void set_program_level(int level);

// When the MPI takes its locks: while more than one thread may be in it, or from now on.
enum class Locks { switched, always };

class ThreadLevel {
 public:
  // Reads what the MPI provides. `program_level` is what the program may use of it: several threads
  // in MPI need the locks at all times.
  void start(int program_level, Locks locks);

  // May two threads be in this MPI at once?
  [[nodiscard]] bool multiple() const { return multiple_; }
  // Can locking be switched off while only one thread is in the MPI?
  [[nodiscard]] static bool can_relax();
  // Is it known that this MPI takes its locks now?
  [[nodiscard]] static bool is_locked();

  // To be called, by the one thread that uses the MPI, before another may enter it
  // (`true`) and when none can any more (`false`).
  void lock(bool on) {
    if (flag_ == nullptr) return;
    if (*flag_ != on_) {
      keep();
    } else if (on_ != on) {
      *flag_ = on_ = on;
    }
  }

 private:
  // Someone else has switched it, as Open MPI does for an MPI session with threads.
  void keep();

  bool multiple_ = false;
  bool on_ = false;                // as it was left here
  volatile bool* flag_ = nullptr;  // Open MPI's, where it may be switched
};

}  // namespace stretto
