#include "intercept/whatif/first_touches.hpp"

#include <sys/resource.h>

#include <cmath>

#include "base/clock.hpp"

namespace stretto::intercept::whatif {
namespace {

// Fewer are as likely our own, in memory that ranks share.
constexpr std::int64_t kFewest = 8;

std::int64_t faults_of_this_thread() {
  rusage usage{};
  getrusage(RUSAGE_THREAD, &usage);
  return usage.ru_minflt;
}

}  // namespace

void FirstTouches::enter() {
  if (ns_a_page_ == 0) return;
  entered_ = now_ns();
  since_ += entered_ - left_;
  if (since_ < kLongEnough) return;
  faults_ = faults_of_this_thread();
  since_ = 0;
}

std::int64_t FirstTouches::leave() {
  if (ns_a_page_ == 0) return 0;
  left_ = now_ns();
  if (left_ - entered_ < kLongEnough) return 0;
  const std::int64_t before = faults_;
  const bool ours = since_ >= kLongEnough;
  faults_ = faults_of_this_thread();
  since_ = 0;
  const std::int64_t pages = faults_ - before;
  if (ours || pages < kFewest) return 0;
  return std::llround(static_cast<double>(pages) * ns_a_page_);
}

}  // namespace stretto::intercept::whatif
