// The progress thread: asleep while nothing is pending or a thread of the program
// waits inside Stretto; on a timer while the program computes with work pending.

#include <sys/prctl.h>

#include <algorithm>

#include "base/clock.hpp"
#include "engine/engine.hpp"

namespace stretto {
namespace {

// Each look takes the core from the computation, yet the next step of an operation waits
// for one. Measured on the rig (CHANGELOG.md): 50 us slows the computation most, 500 us
// keeps an allreduce waiting. Between the two is still a fifth to a third of the core.
constexpr std::int64_t kShortest = 200'000;  // ns
constexpr std::int64_t kLongest = 400'000;   // ns

}  // namespace

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
    lock.unlock();
    sleep_ns(interval);
    lock.lock();
    ++wakeups_;
    if (!wanted()) continue;
    const bool moved = transport_.idle() ? poke() : pass();
    interval = moved ? kShortest : std::min(interval * 5 / 4, kLongest);
  }
}

// Only the MPI's own operations are pending: any call that looks for messages makes it
// move them along.
bool Engine::poke() {
  int found = 0;
  native().Iprobe(MPI_ANY_SOURCE, 0, native().comm_self, &found, MPI_STATUS_IGNORE);
  return false;
}

}  // namespace stretto
