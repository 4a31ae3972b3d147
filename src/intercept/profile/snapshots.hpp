// What a rank has recorded until now, as a file: in a rhythm that the user asks for, and where the
// program ends without MPI_Finalize, as by MPI_Abort, exit, a crash or a batch system's SIGTERM.
#pragma once

#include <semaphore.h>

#include <atomic>
#include <mutex>
#include <string>
#include <thread>

#include "base/rank_context.hpp"
#include "intercept/profile/report.hpp"

namespace stretto::intercept::profile {

// Files are written by a thread of its own, which sleeps otherwise: in a handler of a signal
// nothing may be done that takes memory or a lock.
class Snapshots {
 public:
  // This rank's.
  [[nodiscard]] static Snapshots& get() { return of_rank<Snapshots>(); }

  // From now on; `every_s` is the rhythm, 0 for none.
  void open(const ProfileSession& session, long every_s);
  ~Snapshots() { close(); }
  Snapshots() = default;
  Snapshots(const Snapshots&) = delete;
  Snapshots& operator=(const Snapshots&) = delete;

  // No more of them.
  void close();
  // Those that there are, as there is a whole profile.
  void remove();

  // Async-signal-safe: has the thread write one because of a signal, or one of these.
  static constexpr int kAbort = -1;
  static constexpr int kExit = -2;
  void ask(int why);
  // Likewise: waits until it is written, or for two seconds.
  void await() const;

 private:
  void run();
  void sleep();
  void write(int why);

  ProfileSession session_;
  std::string folder_;
  long every_s_ = 0;
  std::mutex mutex_;  // of what follows
  long number_ = 0;
  const char* why_ = "";  // the first, which others may follow from
  bool has_failed_ = false;

  std::thread thread_;
  sem_t wake_{};
  std::atomic<bool> stopping_{false};
  std::atomic<int> asked_{0};
  std::atomic<bool> is_written_{false};
};

}  // namespace stretto::intercept::profile
