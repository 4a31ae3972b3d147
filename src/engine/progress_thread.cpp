// The progress thread: asleep while nothing is pending or a thread of the program
// waits inside Stretto; on a timer while the program computes with work pending.

#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>

#include <algorithm>

#include "base/clock.hpp"
#include "engine/engine.hpp"

namespace stretto {
namespace {

// Between looks, in ns. While an operation's rhythm is not known, or it is late, the looks
// follow each other at the first and slow down to the second.
constexpr std::int64_t kShortest = 200'000;
constexpr std::int64_t kLongestQuiet = 400'000;
// Where nothing is expected sooner. Something else may begin meanwhile.
constexpr std::int64_t kLongest = 2'000'000;

}  // namespace

void Engine::start_progress_thread() {
  // It must not be the one that gets a signal the program blocks in its own threads.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  thread_ = std::thread([this] { run_progress_thread(); });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void Engine::run_progress_thread() {
  prctl(PR_SET_NAME, "stretto");
  prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
  std::int64_t interval = kShortest;
  const auto wanted = [this] { return background() > 0 && waiters_ == 0; };

  std::unique_lock lock(mutex_);
  while (!stopping_) {
    if (!wanted()) {
      parked_ = true;
      wake_.wait(lock, [&] { return stopping_ || wanted(); });
      parked_ = false;
      interval = kShortest;
    }
    const std::int64_t pause = pause_ns(interval);
    lock.unlock();
    sleep_ns(pause);
    lock.lock();
    ++wakeups_;
    if (!wanted()) continue;
    ++looks_;
    // Twice, as Open MPI's test functions progress last: what that finds the next call tells.
    const bool moved = transport_.idle() && held_back_.empty() ? poke() : pass() || pass();
    interval = moved ? kShortest : std::min(interval * 5 / 4, kLongestQuiet);
  }
}

// Until something is expected, and `shortest` at least.
std::int64_t Engine::pause_ns(std::int64_t shortest) const {
  // Whatever else is in the background is the MPI's own, and when it moves is not known.
  const bool all_known = background() == static_cast<int>(in_background_.size());
  if (!all_known) return shortest;
  std::int64_t expected = INT64_MAX;
  for (const Operation* operation : in_background_) {
    expected = std::min(expected, operation->expected_ns());
  }
  return std::clamp(expected - now_ns(), shortest, kLongest);
}

// Only the MPI's own operations are pending: any call that looks for messages makes it
// move them along.
bool Engine::poke() {
  int found = 0;
  native().Iprobe(MPI_ANY_SOURCE, 0, native().comm_self, &found, MPI_STATUS_IGNORE);
  return false;
}

}  // namespace stretto
