#include "intercept/whatif/process.hpp"

namespace stretto::intercept::whatif {
namespace {

// A program that asks again within this time waits; what it did meanwhile depends on the host.
constexpr std::int64_t kAsksAgain = 5'000;

constinit thread_local bool owns_clocks [[gnu::tls_model("initial-exec")]] = false;

}  // namespace

Process& Process::get() {
  static Process* const instance = new Process;  // outlives whatever exit() destroys
  return *instance;
}

bool Process::is_clocked() { return owns_clocks; }

void Process::begin_counting() {
  owns_clocks = true;
  clock_ = std::make_unique<ThreadClock>();
  left_at_ = clock_->now();
}

void Process::stop_computing(bool polls) {
  if (!is_clocked()) {
    const Lock lock(mutex);
    ++flags.other_threads;
    return;
  }
  const std::int64_t now = clock_->now();
  const std::int64_t worked = now - left_at_;
  const std::int64_t blocked = clock_->blocked();
  const bool only_asked = polls && failed_poll_ && worked < kAsksAgain;
  failed_poll_ = false;
  left_at_ = now;
  if (!only_asked) {
    const Lock lock(mutex);
    clocks->compute(static_cast<double>(worked));
    computed_ns += static_cast<double>(worked);
    blocked_ns += static_cast<double>(blocked - blocked_before_);
  }
  blocked_before_ = blocked;
}

}  // namespace stretto::intercept::whatif
