// The progress thread: asleep while nothing is pending or a thread of the program
// waits inside Stretto; on a timer while the program computes with work pending.

#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include <algorithm>
#include <cerrno>
#include <chrono>

#include "base/clock.hpp"
#include "base/log.hpp"
#include "engine/engine.hpp"

namespace stretto {
namespace {

// While an operation's rhythm is not known, or it is late, the polls follow each other after the
// shortest pause, which grows up to twice that.
constexpr std::int64_t kMostGrowth = 2;
constexpr std::int64_t kForever = INT64_MAX;
// Of so many times that nobody waits for anything, at which there is a poll all the same.
constexpr int kMostUnpolled = 8;

constexpr std::size_t kLeastStack = std::size_t{1} << 20;
// Where the main thread's has no limit; of address space, which some systems count.
constexpr std::size_t kMostStack = std::size_t{256} << 20;

std::size_t stack_bytes() {
  rlimit limit{};
  if (getrlimit(RLIMIT_STACK, &limit) != 0) return kLeastStack;
  return std::clamp<std::size_t>(limit.rlim_cur, kLeastStack, kMostStack);
}

}  // namespace

// Its stack is as large as the main thread's may grow, since it may run the program's own
// operations; memory is taken only where it is used.
void Engine::start_progress_thread() {
  // It must not be the one that gets a signal the program blocks in its own threads.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  // A fault in a function of the program's is for the program's handler.
  for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS}) {
    sigdelset(&all, fault);
  }
  pthread_sigmask(SIG_SETMASK, &all, &before);
  rank_ = this_thread.rank;
  const auto run = [](void* engine) -> void* {
    static_cast<Engine*>(engine)->run_progress_thread();
    return nullptr;
  };
  int error = EAGAIN;
  for (std::size_t stack = stack_bytes(); error != 0 && stack >= kLeastStack; stack /= 2) {
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, stack);
    error = ::pthread_create(&thread_, &attributes, run, this);
    pthread_attr_destroy(&attributes);
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  has_thread_ = error == 0;
}

void Engine::start_thread_in_memory() {
  const std::lock_guard lock(opening_);
  if (has_thread_ || thread_failed_) return;
  stopping_ = false;
  start_progress_thread();
  thread_failed_ = !has_thread_;
  if (thread_failed_) say("no thread can be begun: collectives advance only inside MPI calls");
}

bool Engine::has_work() const {
  if (background() == 0) return false;
  // What is over, or is to be unpacked, waits for a thread of the program's, which may call the
  // MPI.
  return !in_memory_only_ || std::ranges::any_of(running_, [](const Operation* each) {
    return each->background && !each->done() && !each->calls_mpi();
  });
}

void Engine::run_progress_thread() {
  is_progress_thread = true;
  this_thread.rank = rank_;
  prctl(PR_SET_NAME, "stretto");
  prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
  const auto wanted = [this] { return has_work() && (waiters_ == 0 || must_call()); };
  const AwaitedAll all;

  Lock lock(mutex_);
  std::int64_t interval = shortest_pause_ns_;
  long begun = begun_;
  long needs_polls = needs_polls_;
  while (!stopping_) {
    std::int64_t pause = 0;
    // Who begins operations one after the other need not wake it each time: that takes longer than
    // a short one.
    if (!wanted() && begun != begun_) {
      begun = begun_;
      const bool is_rung =
          std::exchange(needs_polls, needs_polls_) == needs_polls_ && is_rung_for();
      rang_ = nap(lock, is_rung ? kRungPause : shortest_pause_ns_);
      if (!is_rung || !wanted()) continue;
      pause = kRungPause;  // what has begun meanwhile has slept through it
    } else {
      if (!wanted()) {
        sleep(lock, kForever, [&] {
          parked_ = !stopping_ && !wanted();
          return !parked_;
        });
        interval = shortest_pause_ns_;
      }
      pause = must_call() ? 0 : pause_ns(interval);
      rang_ = pause > 0 && nap(lock, pause);
    }
    ++wakeups_;
    if (rang_) ++heard_;
    if (!wanted()) continue;
    // What has begun to move may be waited for by others, a part after the other.
    const bool polls = pause == kRungPause || is_worth_polling();
    moves_on_ = polls && poll_in_background(lock);
    // This rank waits, too, as another waits for it.
    if (rang_ && !moves_on_ && is_awaited()) ring_others();
    const std::int64_t longer =
        std::clamp(interval * 5 / 4, shortest_pause_ns_, kMostGrowth * shortest_pause_ns_);
    interval = moves_on_ ? kShortestPause : longer;
  }
}

template <class Wanted>
bool Engine::sleep(Lock& lock, std::int64_t ns, const Wanted& wanted) {
  const std::int64_t end = ns == kForever ? kForever : now_ns() + ns;
  while (!wanted()) {
    // What this looks at changes under the lock.
    Doorbell& doorbell = *doorbell_;
    const std::uint32_t rings = doorbell.rings();
    const std::int64_t left = end == kForever ? kForever : end - now_ns();
    if (left <= 0) return false;
    lock.unlock();
    doorbell.wait(rings, left);
    lock.lock();
  }
  return true;
}

// Unless there is something that nobody else may do.
bool Engine::nap(Lock& lock, std::int64_t ns) {
  const long needs_polls = needs_polls_;
  Doorbell& doorbell = *doorbell_;
  const std::uint32_t rings = doorbell.rings();
  napping_ = true;
  naps_long_ = ns == kRungPause;
  listen_unless_waiting();
  const auto has_own = [this, &doorbell, needs_polls] {
    return stopping_ || must_call() ||
           (naps_long_ && (&doorbell != doorbell_ || needs_polls != needs_polls_));
  };
  const bool is_early =
      sleep(lock, ns, [&] { return has_own() || (naps_long_ && doorbell.rings() != rings); });
  const bool is_rung = is_early && !has_own();
  doorbell.listen(false);
  napping_ = naps_long_ = false;
  return is_rung;
}

// Who waits does itself what others wait for.
void Engine::listen_unless_waiting() {
  if (naps_long_) doorbell_->listen(waiters_ == 0);
}

// Where no core is free nothing is gained by moving what nobody waits for: it takes as long now as
// it takes the one who will. But now and then, as somebody may test for it again and again.
bool Engine::is_worth_polling() {
  if (has_free_core() || moves_on_ || driving_ || must_call()) return true;
  if (++unpolled_ % kMostUnpolled == 0) return true;
  return is_awaited();
}

bool Engine::is_awaited() const {
  if (driving_) return false;  // the transports are another's now
  return std::ranges::any_of(transports_, [](const auto& transport) {
    return !transport->idle() && transport->is_awaited();
  });
}

bool Engine::poll_in_background(Lock& lock) {
  ++polls_;
  const bool is_idle = !driving_ && !has_messages() && to_post_.empty() && to_compute_.empty();
  if (may_call_mpi() && is_idle && to_call_.empty()) {
    drive(lock, [] { poke(); });
    return work(lock);  // what others left meanwhile to the thread that drives
  }
  // Twice, as Open MPI's test functions progress last: what that finds the next call reports.
  return pass(lock) || pass(lock);
}

bool Engine::is_rung_for() const {
  const auto rings = [this](const auto& each) { return each->doorbell() == doorbell_; };
  // Whatever else is in the background is the MPI's own.
  const auto known = std::ranges::count_if(
      running_, [](const Operation* each) { return each->background && each->stays_on_host(); });
  return !has_free_core() && known == background() && std::ranges::any_of(transports_, rings);
}

// Until something is expected, and `shortest` at least.
std::int64_t Engine::pause_ns(std::int64_t shortest) const {
  // Whatever else is in the background is the MPI's own, and when it moves is not known.
  int known = 0;
  std::int64_t expected = INT64_MAX;
  const std::int64_t now = now_ns();
  for (Operation* operation : running_) {
    if (!operation->background) continue;
    if (!operation->has_rhythm()) operation->begin_rhythm(now, polls_);
    ++known;
    expected = std::min(expected, operation->expected_ns());
  }
  if (known != background()) return shortest;
  // Who has just been woken for nothing is not to be so again at once.
  if (!moves_on_ && !rang_ && is_rung_for()) return kRungPause;
  // Something else may begin meanwhile.
  return std::clamp(expected - now, shortest, std::max(shortest, kLongestPause));
}

// Only the MPI's own operations are pending: any call that polls for messages makes it
// move them along.
void Engine::poke() {
  int found = 0;
  native().Iprobe(MPI_ANY_SOURCE, 0, native().comm_self, &found, MPI_STATUS_IGNORE);
}

}  // namespace stretto
