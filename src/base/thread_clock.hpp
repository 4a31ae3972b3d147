// How long the calling thread has worked: the time it had a CPU, and the time it slept or waited
// for a device. What it does not count is the time it could have run but others did.
#pragma once

#include <cstdint>
#include <optional>

namespace stretto {

// How long the calling thread could have run so far while others did, in ns; nullopt where the
// kernel does not say.
[[nodiscard]] std::optional<std::int64_t> thread_run_delay_ns();

// For one thread, which must be the one that makes it and calls it.
class ThreadClock {
 public:
  ThreadClock();
  ~ThreadClock();
  ThreadClock(const ThreadClock&) = delete;
  ThreadClock& operator=(const ThreadClock&) = delete;

  // In ns, from its making on. As long as the thread was not interrupted since the last reading it
  // costs reading a clock, else some system calls.
  [[nodiscard]] std::int64_t now();
  // What passed since the last reading does not count. True where the thread was interrupted.
  bool restart();
  // Of that, what it spent asleep or waiting for a device, up to the last reading.
  [[nodiscard]] std::int64_t blocked() const { return blocked_; }

 private:
  [[nodiscard]] bool was_interrupted() const;
  void announce();
  void begin();   // to count from here on
  void sample();  // reads the system's clocks
  [[nodiscard]] std::int64_t run_delay() const;

  int schedstat_ = -1;             // /proc/thread-self/schedstat
  std::uint64_t* mark_ = nullptr;  // the kernel wipes it out when it interrupts the thread
  std::int64_t wall_ = 0;          // at the last sample, as all below
  std::int64_t cpu_ = 0;
  std::int64_t delay_ = 0;
  std::int64_t unexplained_ = 0;  // neither on a CPU nor known to be delayed
  std::int64_t count_ = 0;
  std::int64_t blocked_ = 0;
  std::int64_t last_ = 0;  // at the last reading
};

}  // namespace stretto
