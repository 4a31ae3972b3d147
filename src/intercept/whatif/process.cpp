#include "intercept/whatif/process.hpp"

#include <algorithm>
#include <utility>

#include "base/clock.hpp"
#include "intercept/shared/polling.hpp"

namespace stretto::intercept::whatif {
namespace {

constexpr std::int64_t kNap = 20'000;

// A core writes a MiB or two within it.
constexpr std::int64_t kFillsCaches = 100'000;

// The median of what a section of nothing seems to take, after so long a sleep.
std::int64_t empty_section(ThreadClock& clock, std::int64_t sleep) {
  std::array<std::int64_t, 15> times{};
  for (std::int64_t& time : times) {
    const std::int64_t before = clock.now();
    if (sleep > 0) sleep_ns(sleep);
    clock.restart();
    time = clock.now() - before;
  }
  std::nth_element(times.begin(), times.begin() + times.size() / 2, times.end());
  return times[times.size() / 2];
}

constinit thread_local bool owns_clocks [[gnu::tls_model("initial-exec")]] = false;

}  // namespace

bool Process::is_clocked() { return owns_clocks; }

void Process::begin_counting() {
  owns_clocks = true;
  clock_ = std::make_unique<ThreadClock>();
  empty_ns_ = empty_section(*clock_, 0);
  empty_after_interruption_ns_ = empty_section(*clock_, kNap);
  left_at_ = clock_->now();
}

void Process::rest(int& times) {
  give_token();
  const std::uint32_t seen = mailbox.doorbell();
  {
    const Lock lock(mutex);
    if (mailbox.poll()) return;
  }
  mailbox.back_off(times, seen);
}

void Process::take_token() {
  if (is_clocked() && !mailbox.take_token()) ++flags.late_tokens;
}

void Process::give_token() {
  if (is_clocked()) mailbox.give_token();
}

void Process::resume_computing() {
  if (is_clocked()) was_interrupted_ = clock_->restart();
}

void Process::stop_computing(Stops why) {
  if (!is_clocked()) {
    const Lock lock(mutex);
    ++flags.other_threads;
    return;
  }
  const std::int64_t now = clock_->now();
  std::int64_t empty = was_interrupted_ ? empty_after_interruption_ns_ : empty_ns_;
  // Whoever waits for a clock must see it go on.
  if (why == Stops::to_read_clock) empty = 0;
  const std::int64_t worked = std::max<std::int64_t>(now - left_at_ - empty, 0);
  const std::int64_t blocked = clock_->blocked();
  const bool only_asked = why == Stops::to_poll && failed_poll_ && worked < kAsksAgain;
  failed_poll_ = false;
  left_at_ = now;
  since_collective_ += worked;
  if (only_asked) {
    poll_times.left_out(worked);
  } else {
    computed(worked);
    blocked_ns += static_cast<double>(blocked - blocked_before_);
  }
  blocked_before_ = blocked;
}

std::int64_t Process::in_mpi() {
  if (!is_clocked()) {
    static constinit thread_local std::int64_t before [[gnu::tls_model("initial-exec")]] = 0;
    const std::int64_t now = now_ns();
    return now - std::exchange(before, now);
  }
  const std::int64_t now = clock_->now();
  blocked_before_ = clock_->blocked();
  return now - std::exchange(left_at_, now);
}

void Process::passed(std::string_view function, std::int64_t ns) {
  const Lock lock(mutex);
  virtual_time.pass(ns);
  Unmodelled& same = unmodelled[function];
  ++same.calls;
  same.ns += ns;
}

void Process::poll_failed() {
  failed_poll_ = true;
  ++flags.polls;
  if (is_clocked()) poll_times.found_nothing();
}

bool Process::left_caches() {
  return is_clocked() && std::exchange(since_collective_, 0) >= kFillsCaches;
}

void Process::computed(std::int64_t ns) {
  const Lock lock(mutex);
  virtual_time.compute(ns);
}

}  // namespace stretto::intercept::whatif
