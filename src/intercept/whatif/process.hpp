// All that this rank's run in virtual time consists of.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string_view>
#include <utility>
#include <vector>

#include "base/rank_context.hpp"
#include "base/thread_clock.hpp"
#include "intercept/whatif/comms.hpp"
#include "intercept/whatif/first_touches.hpp"
#include "intercept/whatif/mailbox.hpp"
#include "intercept/whatif/poll_times.hpp"
#include "intercept/whatif/virtual_time.hpp"

namespace stretto::intercept::whatif {

// What limits how far a prediction can be trusted; counted, and reported.
struct Flags {
  std::int64_t wildcards = 0;      // receives from any source: matched as on this machine
  std::int64_t polls = 0;          // tests and probes that came too early
  std::int64_t clock_reads = 0;    // the program reads the time
  std::int64_t other_threads = 0;  // calls of threads whose computing is not counted
  std::int64_t not_followed = 0;   // calls that virtual time knows nothing of
  std::int64_t late_tokens = 0;    // a core came free only after so long that it was not waited for
};

// Calls that nobody models: all scenarios take the time that they took.
struct Unmodelled {
  std::int64_t calls = 0;
  std::int64_t ns = 0;
};

// Why the program's computing stops.
enum class Stops : std::uint8_t {
  to_call,
  to_poll,  // it may have done nothing since but ask again
  to_read_clock,
};

// Locks nothing until threads are expected: most programs have one, in which a lock costs
// as much as much else that virtual time does to a call.
class Mutex {
 public:
  // Only while no one holds it.
  void expect_threads() { threads_ = true; }
  void lock() {
    if (threads_) mutex_.lock();
  }
  void unlock() {
    if (threads_) mutex_.unlock();
  }

 private:
  bool threads_ = false;
  std::mutex mutex_;
};

class Process {
 public:
  // This rank's.
  [[nodiscard]] static Process& get() { return of_rank<Process>(); }

  int world_rank = 0;
  int world_size = 1;
  int shown = 0;  // the scenario whose time the program sees
  std::vector<model::Scenario> scenarios;
  std::vector<std::vector<Rank>> places;  // of all ranks, by scenario
  VirtualTime virtual_time;
  Mailbox mailbox;
  Comms comms;
  Flags flags;
  std::map<std::string_view, Unmodelled> unmodelled;  // by function
  // Only by the thread that the clocks belong to.
  FirstTouches first_touches;
  PollTimes poll_times;
  // Held by whoever reads the members; never while waiting.
  Mutex mutex;

  // To be called again and again while waiting, without the mutex: takes in clock messages, or
  // rests.
  void rest(int& times);
  // Only the thread that the clocks belong to has a token.
  void take_token();
  void give_token();

  double blocked_ns = 0;  // of what it computed: asleep, or waiting for a device

  // By the thread that the clocks belong to.
  void begin_counting();
  // Is it this one?
  [[nodiscard]] static bool is_clocked();
  // The program ran until now.
  void stop_computing(Stops why);
  void resume_computing();
  // It ran for so long, wherever.
  void computed(std::int64_t ns);
  // How long this thread was in the MPI since it was asked last, or since the program stopped.
  [[nodiscard]] std::int64_t in_mpi();
  // A call that nobody models took so long.
  void passed(std::string_view function, std::int64_t ns);
  // Since it was asked last, did the program run for long enough to have filled the caches with
  // other data than those of its last collective?
  [[nodiscard]] bool left_caches();
  // The last poll found nothing.
  void poll_failed();

 private:
  std::unique_ptr<ThreadClock> clock_;
  std::int64_t left_at_ = 0;
  bool was_interrupted_ = false;  // while it was in the MPI
  // What reading the clock twice shows with nothing between: after an interruption the caches are
  // others'.
  std::int64_t empty_ns_ = 0;
  std::int64_t empty_after_interruption_ns_ = 0;
  std::int64_t blocked_before_ = 0;
  bool failed_poll_ = false;
  std::int64_t since_collective_ = 0;  // computed
};

// Held while a wrapper runs: what the MPI does is not the program's computing.
class Pause {
 public:
  explicit Pause(Stops why = Stops::to_call) : process_(Process::get()) {
    process_.stop_computing(why);
  }
  ~Pause() {
    process_.take_token();
    process_.resume_computing();
  }
  Pause(const Pause&) = delete;
  Pause& operator=(const Pause&) = delete;

 private:
  Process& process_;
};

// Held while the MPI does its part of a call, which may be to touch the program's memory first: the
// program's computing, after whatever happens to its clocks until then.
class FirstTouchScope {
 public:
  FirstTouchScope() : counts_(Process::is_clocked()) {
    if (counts_) Process::get().first_touches.enter();
  }
  ~FirstTouchScope() {
    stop();
    if (ns_ > 0) Process::get().computed(ns_);
  }
  // The MPI has done its part.
  void stop() {
    if (std::exchange(counts_, false)) ns_ = Process::get().first_touches.leave();
  }
  FirstTouchScope(const FirstTouchScope&) = delete;
  FirstTouchScope& operator=(const FirstTouchScope&) = delete;

 private:
  bool counts_;
  std::int64_t ns_ = 0;
};

using Lock = std::lock_guard<Mutex>;

}  // namespace stretto::intercept::whatif
