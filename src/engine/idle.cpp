#include "engine/idle.hpp"

#include <sched.h>
#include <sys/prctl.h>

#include <algorithm>
#include <atomic>
#include <utility>

namespace stretto {
namespace {

constexpr std::int64_t kSpin = 20'000;           // ns: no call into the kernel below this
constexpr std::int64_t kSleepAfter = 1'000'000;  // ns of yielding before the first sleep
// For ranks of the host, for which an MPI would yield or spin for ever: a sleeper misses them.
constexpr std::int64_t kSleepAfterOnHost = 100'000'000;  // ns
constexpr std::int64_t kLongestSleep = 200'000;          // ns
constexpr std::int64_t kSharedSleep = 20'000;            // ns, where the core is shared
constexpr std::int64_t kLateYield = 10'000;              // ns: somebody else ran meanwhile
constexpr std::int64_t kLateTurn = 200'000;              // ns: and did not wait, but computed
constexpr std::int64_t kStopped = 1'000'000'000;         // ns
constexpr int kLateYieldsToBelieve = 3;
constexpr int kPromptYieldsToForget = 16;
constexpr std::int64_t kShortestBelief = 100'000'000;  // ns
constexpr std::int64_t kLongestBelief = 3'000'000'000;

// What yields have shown this process of its core. Races between threads cost at most
// a belief held too long or too short.
struct Belief {
  std::atomic<int> late_yields{0};
  std::atomic<int> prompt_yields{0};
  std::atomic<std::int64_t> shared_until_ns{0};
  std::atomic<std::int64_t> hold_ns{kShortestBelief};
};
Belief belief;

bool believed_shared(std::int64_t now) {
  return now < belief.shared_until_ns.load(std::memory_order_relaxed);
}

void yield_and_learn(std::int64_t now, std::int64_t late) {
  sched_yield();
  const std::int64_t after = now_ns();
  if (after - now < late) {
    // Quiet for a while: forget a late one, a daemon may have run.
    const int prompt = belief.prompt_yields.fetch_add(1, std::memory_order_relaxed) + 1;
    if (prompt % kPromptYieldsToForget == 0) belief.late_yields.store(0, std::memory_order_relaxed);
    return;
  }
  if (belief.late_yields.fetch_add(1, std::memory_order_relaxed) + 1 < kLateYieldsToBelieve) return;
  belief.late_yields.store(0, std::memory_order_relaxed);
  // Held longer each time it proves true again, as every probe costs time slices.
  const std::int64_t last = belief.shared_until_ns.load(std::memory_order_relaxed);
  const std::int64_t hold = belief.hold_ns.load(std::memory_order_relaxed);
  const bool again = last != 0 && after - last < hold;
  const std::int64_t next = again ? std::min(2 * hold, kLongestBelief) : kShortestBelief;
  belief.hold_ns.store(next, std::memory_order_relaxed);
  belief.shared_until_ns.store(after + next, std::memory_order_relaxed);
}

void sleep_precisely(std::int64_t duration) {
  // The kernel may round a thread's sleeps up by its timer slack, 50 us by default.
  thread_local const int slack = prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
  (void)slack;
  sleep_ns(duration);
}

}  // namespace

void Idle::pause(bool on_host) {
  const std::int64_t now = now_ns();
  // No pause takes so long: this process was stopped, and did not wait.
  if (started_ns_ == 0 || now - paused_ns_ > kStopped) started_ns_ = moved_ns_ = now;
  paused_ns_ = now;
  waited_ns_ = now - started_ns_;
  const bool moves = std::exchange(has_moved_, false);
  if (moves) moved_ns_ = now;
  const std::int64_t still = now - moved_ns_;
  if (!on_host && believed_shared(now)) {
    if (moves) {
      sched_yield();
    } else {
      sleep_precisely(kSharedSleep);
    }
    return;
  }
  if (waited_ns_ < kSpin && !oversubscribed_) return;
  if (still < (on_host ? kSleepAfterOnHost : kSleepAfter)) {
    if (on_host) {
      sched_yield();
    } else {
      yield_and_learn(now, oversubscribed_ ? kLateTurn : kLateYield);
    }
    return;
  }
  sleep_precisely(std::min(still / 16, kLongestSleep));
}

}  // namespace stretto
